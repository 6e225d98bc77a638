/** What a script starts. */
export interface ScriptInit {
  /** The Node that laid it down; another is looked for when it is there no longer. */
  readonly node: string
  readonly nodeFlags: readonly string[]
  readonly program: string
  /** The folder of compiled code, beside the program; undefined: none is kept. */
  readonly cache: string | undefined
  /** Answered by the script itself: programs ask for it before every start. */
  readonly help: string
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A program as a shell script: no more than one process, which becomes Node. */
export function programScript({ node, nodeFlags, program, cache, help }: ScriptInit): string {
  return `#!/bin/sh
# Laid down by "bowsprit assets".
for word in "$@"; do
  case "$word" in
  -h | --help)
    cat <<'BOWSPRIT_HELP'
${help}
BOWSPRIT_HELP
    exit 0
    ;;
  esac
done
node=${quoted(node)}
[ -x "$node" ] || node=node
${programLine(program)}
${cache === undefined ? '' : `NODE_COMPILE_CACHE="\${program%/*}/${cache}" NODE_COMPILE_CACHE_PORTABLE=1 `}exec "$node" ${nodeFlags.join(' ')} "$program" "$@"
`
}

/** A path below the script's own folder goes with it wherever it is moved or copied. */
function programLine(program: string): string {
  if (program.startsWith('/')) return `program=${quoted(program)}`
  return `self=$0
while [ -h "$self" ]; do
  link=$(readlink "$self")
  case "$link" in /*) self=$link ;; *) self=\${self%/*}/$link ;; esac
done
case "$self" in */*) program=\${self%/*}/${program} ;; *) program=./${program} ;; esac`
}

/** kubectl is nobody's but its own: the script becomes the one of the machine. */
export function kubectlScript(): string {
  return `#!/bin/sh
# Laid down by "bowsprit assets": becomes the kubectl that is found on the PATH.
own=$(cd "$(dirname "$0")" && pwd -P)
IFS=:
for folder in $PATH; do
  [ -n "$folder" ] && [ -x "$folder/kubectl" ] && [ -f "$folder/kubectl" ] || continue
  [ "$(cd "$folder" && pwd -P)" = "$own" ] && continue
  unset IFS
  exec "$folder/kubectl" "$@"
done
echo "kubectl: there is none on the PATH; install it, or lay it down with: bowsprit assets --kubectl FILE" >&2
exit 127
`
}
