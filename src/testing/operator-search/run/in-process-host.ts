import { messageOf } from '../../../base/message-of.ts'
import { createClient } from '../../../sdk/client/create-client.ts'
import type { OperatorHost, OperatorRun, RunDeps } from './operator-host.ts'
import { type InProcessOperator, mortalClock } from './operator-life.ts'
import { operatorSeam } from './operator-seam.ts'

/** Runs an operator on the virtual time of its cluster. */
export function inProcessHost(operator: InProcessOperator): OperatorHost {
  return {
    start: (deps) => startRun(operator, deps),
    pass: (clock, spanMs) => clock.advance(spanMs),
  }
}

function startRun(operator: InProcessOperator, { cluster, clock, random, rules }: RunDeps): OperatorRun {
  const { signal } = rules
  const transport = operatorSeam(cluster.transport(), rules)
  const life = { transport, client: createClient(transport), clock: mortalClock(clock, signal), random, signal }
  const died = Promise.withResolvers<string>()
  // In a function of its own: an operator may throw before its first `await`.
  const running = (async () => operator(life))()
  running.then(
    () => !signal.aborted && died.resolve('it has ended by itself'),
    (error: unknown) => !signal.aborted && died.resolve(`it has crashed: ${messageOf(error)}`),
  )
  return { died: died.promise, gone: async () => {} }
}
