import { execFileSync } from 'node:child_process'
import { type Outcome, runOnNode } from './in-pod.ts'

/** Beside the machine there is another, at the end of its network: resolves with what runs a shell command there. */
export async function openOutside(): Promise<(command: string) => Promise<Outcome>> {
  const run = (...args: readonly string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  run('netns', 'add', 'outside')
  run('link', 'set', 'outside', 'netns', 'outside')
  run('addr', 'del', '192.0.2.1/32', 'dev', 'lo')
  const there = (...args: readonly string[]) => run('-n', 'outside', ...args)
  there('link', 'set', 'lo', 'up')
  there('link', 'set', 'outside', 'up')
  there('addr', 'add', '192.0.2.1/24', 'dev', 'outside')
  there('addr', 'add', 'fd00:2::1/64', 'dev', 'outside', 'nodad')
  return (command) => runOnNode(`ip netns exec outside sh -c '${command.replaceAll("'", `'\\''`)}'`)
}
