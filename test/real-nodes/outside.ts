import { execFileSync } from 'node:child_process'
import { type Outcome, runOnNode } from './in-pod.ts'

const ip = (...args: readonly string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] })
/** The names of the network namespace beside the machines, and of the bridge in it. */
const [OUTSIDE, BRIDGE] = ['outside', 'br0']

/**
 * Beside the machine there is another, at the end of its network, to which more machines can be plugged: resolves with what runs a shell
 * command there.
 */
export async function openOutside(): Promise<(command: string) => Promise<Outcome>> {
  ip('netns', 'add', OUTSIDE)
  ip('-n', OUTSIDE, 'link', 'set', 'lo', 'up')
  ip('-n', OUTSIDE, 'link', 'add', BRIDGE, 'type', 'bridge')
  ip('-n', OUTSIDE, 'link', 'set', BRIDGE, 'up')
  ip('-n', OUTSIDE, 'addr', 'add', '192.0.2.1/24', 'dev', BRIDGE)
  ip('-n', OUTSIDE, 'addr', 'add', 'fd00:2::1/64', 'dev', BRIDGE, 'nodad')
  plugIn([], 'outside')
  return (command) => runOnNode(command, { enter: ['ip', 'netns', 'exec', OUTSIDE] })
}

/** Plugs the way out of a machine, where `enter` leads to, into the bridge; there it has this name. */
export function plugIn(enter: readonly string[], name: string): void {
  const [program = '', ...before] = [...enter, 'ip']
  const there = (...args: readonly string[]) => execFileSync(program, [...before, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  there('addr', 'del', '192.0.2.1/32', 'dev', 'lo')
  if (name !== 'outside') {
    there('link', 'set', 'outside', 'down')
    there('link', 'set', 'outside', 'name', name)
  }
  there('link', 'set', name, 'netns', OUTSIDE)
  ip('-n', OUTSIDE, 'link', 'set', name, 'master', BRIDGE)
  ip('-n', OUTSIDE, 'link', 'set', name, 'up')
}
