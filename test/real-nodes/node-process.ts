import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import path from 'node:path'

const MAIN = path.join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')

/** For nodes whose tests are not about the network of the cluster. */
export const WITHOUT_NETWORK = ['--service-proxy=false', '--cluster-dns=false', '--network-policies=false']

/** Starts `bowsprit node` as a process, on the machine that `enter` leads to (empty: this one). */
export function spawnNode(flags: readonly string[], stdio: StdioOptions, enter: readonly string[] = []): ChildProcess {
  const [program = '', ...args] = [...enter, process.execPath, '--disable-warning=ExperimentalWarning', MAIN, 'node', ...flags]
  return spawn(program, args, { stdio })
}
