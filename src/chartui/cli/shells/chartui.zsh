#compdef chartui
# Completion of chartui for zsh. Load it with: source <(chartui completion zsh)
_chartui() {
    local found line value
    local -a values pairs shown
    found=$("${(Q)words[1]}" complete zsh "${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX" 2>/dev/null)
    case $? in
        0) ;;
        10) compset -P '--*='; _files; return ;;
        11) compset -P '--*='; _files -/; return ;;
        *) return 1 ;;
    esac
    [[ -n $found ]] || return 1
    for line in "${(@f)found}"; do
        value=${line%%$'\t'*}
        values+=("$value")
        pairs+=("${value//:/\\:}:${line#*$'\t'}")
    done
    # An ID offered for a name does not begin with it, so what the candidates have in common must not replace it.
    [[ -z ${${(L)values}:#${(L)${(Q)PREFIX}}*} ]] || compstate[insert]=menu
    zformat -a shown '  ' "${pairs[@]}"
    # The program matches by itself, in any case, so the shell must not filter again (-U).
    compadd -U -V chartui -l -d shown -a values
}
if [[ $funcstack[1] == _chartui ]]; then
    _chartui "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
    compdef _chartui chartui
fi
