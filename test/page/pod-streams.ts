/** What the page shows of a pod and of its node, for tests of nodes that run real programs. */
import assert from 'node:assert/strict'
import * as refs from '../../src/resources/refs.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { latest, openSocket } from './page-socket.ts'

interface Shown {
  readonly name: string
  /** A line of its log. */
  readonly line: string
  readonly node: string
}

/** Checks that the page shows the log of a pod of `default`, answers in a shell in it, and has it on its node. */
export async function showsRunningPod(link: URL, { name, line, node }: Shown): Promise<void> {
  const object = { ...refs.PODS, namespace: 'default', name }
  using log = openSocket(link, { type: 'logs', id: 1, object, container: '', previous: false })
  await waitFor(() => log.messages.some((message) => message.type === 'logs' && message.page.lines.includes(line)), { what: 'the log' })
  const size = { width: 80, height: 24 }
  using shell = openSocket(link, { type: 'terminal', id: 1, query: { object, container: '', command: 'shell', size } })
  const output = () =>
    Buffer.concat(shell.messages.flatMap((message) => (message.type === 'terminal' ? [Buffer.from(message.page.output, 'base64')] : [])))
  await waitFor(() => latest(shell, 'terminal')?.page.state === 'running', { what: 'the shell' })
  shell.send({ type: 'keys', id: 1, text: 'echo six times seven is $((6 * 7))\n' })
  await waitFor(() => output().includes('six times seven is 42'), { what: 'what the shell prints' })
  using machine = openSocket(link, { type: 'machine', id: 1, object: { ...refs.NODES, namespace: '', name: node } })
  const { page } = await waitFor(() => latest(machine, 'machine'))
  assert.ok(page.pods.some((pod) => pod.name === name))
  assert.ok(page.resources.some((resource) => resource.name === 'cpu' && resource.capacity !== ''))
}
