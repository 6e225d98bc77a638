import { keepAlive } from '../../base/clock.ts'
import { type Connection, type ConnectOptions, connect } from '../client/connect.ts'
import { type Installable, type InstallOptions, installKinds } from '../kinds/install-kinds.ts'
import { consoleLogger } from './console-logger.ts'
import { createManager, type ManagerConfig } from './manager.ts'

/** An operator as a program. */
export interface OperatorConfig extends Omit<ManagerConfig, 'client'>, Pick<ConnectOptions, 'kubeconfig' | 'context'> {
  /** Applies these definitions before it starts, which needs the right to. Default: they are installed already. */
  readonly install?: readonly Installable[]
  /** Where the conversion webhook of `install` is. */
  readonly conversion?: InstallOptions['conversion']
  /** Called with the connection before anything starts: for webhooks and the like. */
  readonly connected?: (connection: Connection) => Promise<void> | void
}

/**
 * Runs an operator as a program, against the cluster of its kubeconfig or its pod, until SIGINT or SIGTERM; a second signal ends it at
 * once. Any other end is printed on standard error, and the exit code is 1.
 *
 * ```ts
 * await runOperator({ controllers: [controller({ for: kinds.CONFIG_MAP, reconcile: () => undefined })] })
 * ```
 */
export async function runOperator(config: OperatorConfig): Promise<void> {
  const { install = [], conversion, connected, kubeconfig, context, ...rest } = config
  const { log = consoleLogger() } = config
  const stop = new AbortController()
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM']
  const onSignal = (signal: NodeJS.Signals) => {
    log.info(`${signal}: stopping`)
    stop.abort()
    // A second signal has its default effect: it ends the program at once.
    for (const one of signals) process.off(one, onSignal)
  }
  for (const signal of signals) process.on(signal, onSignal)
  const awake = keepAlive()
  try {
    await using cluster = await connect({ ...(kubeconfig && { kubeconfig }), ...(context && { context }) })
    await connected?.(cluster)
    await installKinds(cluster.client, install, { signal: stop.signal, ...(conversion && { conversion }) })
    const manager = createManager({ ...rest, log, client: cluster.client })
    log.info(`running against ${cluster.server}`, { controllers: config.controllers.map((c) => c.name).join(',') })
    await manager.run(stop.signal)
  } catch (error) {
    if (!stop.signal.aborted || !isAbort(error)) {
      log.error('the operator has ended', { error })
      process.exitCode = 1
    }
  } finally {
    awake()
    for (const signal of signals) process.off(signal, onSignal)
  }
}

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'
