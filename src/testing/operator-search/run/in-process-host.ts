import { messageOf } from '../../../base/message-of.ts'
import { onAbort } from '../../../base/on-abort.ts'
import { createClient } from '../../../sdk/client/create-client.ts'
import { type ReconcileError, reconcileErrors } from '../../../sdk/controller/reconcile-errors.ts'
import { podNetwork } from '../answers/pod-network.ts'
import type { OperatorHost, OperatorRun, RunDeps } from './operator-host.ts'
import { type InProcessOperator, MortalClock } from './operator-life.ts'
import { operatorSeam } from './operator-seam.ts'

/** Runs an operator on the virtual time of its cluster. */
export function inProcessHost(operator: InProcessOperator): OperatorHost {
  return {
    // Runs in turn, so that the same seed gives the same report.
    atATime: 1,
    start: (deps) => startRun(operator, deps),
    pass: (clock, spanMs) => clock.advance(spanMs),
  }
}

function startRun(operator: InProcessOperator, { cluster, clock, random, rules }: RunDeps): OperatorRun {
  const { signal } = rules
  const transport = operatorSeam(cluster.transport(), rules)
  const own = new MortalClock(clock, signal)
  const network = podNetwork(cluster.client(), signal)
  const life = { transport, client: createClient(transport), network, clock: own, random, signal }
  const died = Promise.withResolvers<string>()
  const survive = (published: unknown) => {
    const { error } = published as ReconcileError
    if (!signal.aborted && isPanic(error)) rules.survived(`it has crashed: ${messageOf(error)}`)
  }
  reconcileErrors.subscribe(survive)
  onAbort(signal, () => reconcileErrors.unsubscribe(survive))
  // In a function of its own: an operator may throw before its first `await`.
  const running = (async () => operator(life))()
  running.then(
    () => !signal.aborted && died.resolve('it has ended by itself'),
    (error: unknown) => !signal.aborted && died.resolve(`it has crashed: ${messageOf(error)}`),
  )
  return { died: died.promise, gone: async () => {}, dueWithin: (spanMs) => own.dueWithin(spanMs) }
}

/** Mistakes in a program, which would end one in Go: a manager that survives them tries again for ever. */
const isPanic = (error: unknown) => error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
