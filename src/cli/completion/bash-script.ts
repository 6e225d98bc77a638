import { allNodes, type CommandNode, type OptionNode } from './command-tree.ts'

/**
 * The completion of bash: the words before the cursor name a command, which has its subcommands and options. Where nothing of these fits,
 * bash completes file names.
 */
export function bashScript(root: CommandNode): string {
  const nodes = allNodes(root)
  const named = nodes.filter((node) => node !== root)
  const values = nodes.flatMap(({ path, options }) => options.filter((o) => o.takesValue).map((o) => valueCase(path, o)))
  return `_bowsprit() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at=bowsprit word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
    ${named.map(({ path }) => `'${path}'`).join(' | ')}) at="$at $word" ;;
    esac
  done
  COMPREPLY=()
  case "$at $prev" in
${values.join('\n')}
  esac
  case "$at" in
${nodes.map(wordCase).join('\n')}
  esac
}
complete -o default -F _bowsprit bowsprit
`
}

const valueCase = (path: string, { names, values }: OptionNode) =>
  `  ${names.map((name) => `'${path} ${name}'`).join(' | ')}) ${reply(values)} return ;;`

const wordCase = ({ path, options, below }: CommandNode) =>
  `  '${path}') ${reply([...below.map((node) => lastWord(node.path)), ...options.map(({ names }) => names[0] ?? '')])} ;;`

const reply = (words: readonly string[]) => (words.length === 0 ? '' : `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$cur"));`)

/** The name of a command among those of its parent. */
export const lastWord = (path: string): string => path.slice(path.lastIndexOf(' ') + 1)
