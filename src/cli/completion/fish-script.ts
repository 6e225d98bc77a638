import { lastWord } from './bash-script.ts'
import { allNodes, type CommandNode, type OptionNode } from './command-tree.ts'

/** The completion of fish, with the descriptions. */
export function fishScript(root: CommandNode): string {
  return `${allNodes(root).flatMap(linesOf).join('\n')}\n`
}

function linesOf({ path, options, below }: CommandNode): readonly string[] {
  const words = path.split(' ').slice(1)
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ')
  const others = below.map((node) => lastWord(node.path)).join(' ')
  const none = others === '' ? '' : `not __fish_seen_subcommand_from ${others}`
  const when = [seen, none].filter((part) => part !== '').join('; and ')
  const line = (rest: string) => `complete -c bowsprit -n ${quoted(when)} ${rest}`
  return [
    ...below.map((node) => line(`-f -a ${lastWord(node.path)} -d ${quoted(node.about)}`)),
    ...options.map((option) => line(optionText(option))),
  ]
}

function optionText({ names, about, takesValue, values }: OptionNode): string {
  const name = names.map((one) => (one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`)).join(' ')
  const value = values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : takesValue ? ' -r' : ''
  return `${name}${value} -d ${quoted(about)}`
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
