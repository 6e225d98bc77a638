import type { Command, Option } from 'commander'

/** A command, as a shell completes it. */
export interface CommandNode {
  /** The words that name it: `bowsprit devices test`. */
  readonly path: string
  readonly about: string
  readonly options: readonly OptionNode[]
  readonly below: readonly CommandNode[]
}

export interface OptionNode {
  /** With its dashes, the long one first. */
  readonly names: readonly string[]
  readonly about: string
  readonly takesValue: boolean
  /** Empty: any value. */
  readonly values: readonly string[]
}

/** The commands and options of a program, without those that are hidden. */
export function commandTree(command: Command, parents = ''): CommandNode {
  const path = `${parents}${command.name()}`
  return {
    path,
    about: command.description(),
    options: [...command.options.filter((option) => !option.hidden).map(optionNode), HELP],
    below: command.commands.map((sub) => commandTree(sub, `${path} `)),
  }
}

const HELP: OptionNode = { names: ['--help'], about: 'print the commands and options', takesValue: false, values: [] }

function optionNode({ long, short, description, required, optional, argChoices, flags }: Option): OptionNode {
  const names = [long, short].filter((name) => name !== undefined)
  return {
    names,
    about: description,
    takesValue: required || optional,
    values: argChoices ?? (flags.includes('[boolean]') ? ['true', 'false'] : []),
  }
}

/** The node and all below it. */
export const allNodes = (node: CommandNode): readonly CommandNode[] => [node, ...node.below.flatMap(allNodes)]
