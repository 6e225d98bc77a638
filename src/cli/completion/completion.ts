import { Argument, Command } from 'commander'
import { bashScript } from './bash-script.ts'
import { type CommandNode, commandTree } from './command-tree.ts'
import { fishScript } from './fish-script.ts'

const SCRIPTS: Readonly<Record<string, (root: CommandNode) => string>> = {
  bash: bashScript,
  // zsh runs bash's completions.
  zsh: (root) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(root)}`,
  fish: fishScript,
}

/** `bowsprit completion SHELL`: made from the definitions of all commands. */
export const completionCommand = (program: () => Promise<Command>) => (): Command =>
  new Command('completion')
    .description('print the completion script of a shell, for: source <(bowsprit completion bash)')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(Object.keys(SCRIPTS)))
    .action(async (shell: string) => console.log((SCRIPTS[shell] ?? bashScript)(commandTree(await program())).trimEnd()))
