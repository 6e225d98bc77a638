/** The program that a script starts. */
export interface ScriptInit {
  /** The Node that wrote the script. If it is gone, the one on the PATH is used. */
  readonly node: string
  readonly nodeFlags: readonly string[]
  readonly program: string
  /** The folder of compiled code next to the program; undefined: not cached. */
  readonly cache: string | undefined
  /** Printed by the script itself, without starting Node: envtest runs `--help` before every start. */
  readonly help: string
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A program as a shell script that execs Node, so that it stays one process. */
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

/** A path below the script's own folder is relative to it, so that the folder can be moved or copied. */
function programLine(program: string): string {
  if (program.startsWith('/')) return `program=${quoted(program)}`
  return `self=$0
while [ -h "$self" ]; do
  link=$(readlink "$self")
  case "$link" in /*) self=$link ;; *) self=\${self%/*}/$link ;; esac
done
case "$self" in */*) program=\${self%/*}/${program} ;; *) program=./${program} ;; esac`
}

/** We ship no kubectl: this wrapper execs the one on the PATH. */
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
