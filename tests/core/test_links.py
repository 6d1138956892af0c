"""Addresses and files in a text become links; nothing else does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from chartui.core.links import Link, links_in, with_links

HOST = os.uname().nodename


def test_addresses_and_existing_files_are_found(tmp_path: Path) -> None:
    path = tmp_path / "é.toml"
    path.touch()
    text = f"See https://a.example/b?c=d (saved to {path}): {tmp_path}/missing, done."
    address, file = links_in(text)
    assert text[address.start : address.end] == address.target == "https://a.example/b?c=d"
    assert text[file.start : file.end] == str(path)
    assert file.target == f"file://{HOST}{tmp_path}/%C3%A9.toml"


def test_a_file_in_the_home_folder_is_found(own_folders: Path) -> None:
    (own_folders / "x").touch()
    assert [link.target for link in links_in("is in ~/x.")] == [f"file://{HOST}{own_folders}/x"]


@pytest.mark.parametrize("text", ["1/2 and a/b", "/", "and/or", "https://cut.exam…", "x/tmp", "model:/flash", ""])
def test_other_text_is_left_alone(text: str) -> None:
    assert list(links_in(text)) == []
    assert with_links(text) == text


def test_a_target_cannot_end_its_sequence() -> None:
    [link] = links_in("http://a.example/‮ü")
    assert link == Link(0, 19, "http://a.example/%E2%80%AE%C3%BC")
    assert link.target.isascii()
    assert with_links("(http://a)") == "(\x1b]8;;http://a\x1b\\http://a\x1b]8;;\x1b\\)"
