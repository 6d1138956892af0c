"""What is around the screens: which profile is open, under which lock, with which key, and how that is changed."""
