# Completion of chartui for fish. Load it with: chartui completion fish | source
function __chartui_complete
    set -l program (commandline -opc)[1]
    set -l found ($program complete fish (commandline -cp | string collect) 2>/dev/null)
    switch $status
        case 0
            printf '%s\n' $found
        case 10
            __fish_complete_path (commandline -ct)
        case 11
            __fish_complete_directories (commandline -ct)
    end
end
complete -c chartui -f -a '(__chartui_complete)'
