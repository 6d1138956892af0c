# Completion of chartui for bash. Load it with: source <(chartui completion bash)
_chartui() {
    local found line
    COMPREPLY=()
    found=$("$1" complete bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
    case $? in
        0) ;;
        10) compopt -o default 2>/dev/null; return ;;
        11) compopt -o dirnames 2>/dev/null; return ;;
        *) return ;;
    esac
    while IFS= read -r line; do
        [[ -n $line ]] && COMPREPLY+=("$line")
    done <<<"$found"
}
complete -F _chartui chartui
