import { styleText } from 'node:util'
import { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { collectWhenIdle, keepHeapsLean } from '../base/lean-heap.ts'
import { messageOf } from '../base/message-of.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { announceCluster } from './announce-cluster.ts'
import { loggerOf } from './log-options.ts'
import { reportFailure } from './report-failure.ts'
import { startFromFlags } from './start-from-flags.ts'
import { started, stopSignal } from './stop-signal.ts'
import { withUpFlags } from './up-flags.ts'
import type { UpFlags } from './up-options.ts'

/** A start that takes longer says so. */
const PATIENCE_MS = 1000
/** While parts are loaded, the first connection and response take twice as long. */
const PARTS_AFTER_MS = 25

/** `bowsprit up`: starts a cluster and runs it until a signal stops it. */
export const upCommand = (): Command => withUpFlags(new Command('up').description('start a cluster, and keep it until Ctrl-C')).action(up)

async function up(given: UpFlags, command: Command): Promise<void> {
  try {
    if (given.file !== undefined) (await import('./cluster-file/apply-cluster-file.ts')).applyClusterFile(command, given.file)
  } catch (error) {
    reportFailure('up', error)
    return
  }
  await run(command.opts<UpFlags>())
}

async function run(flags: UpFlags): Promise<void> {
  const { untilStdinEnds, saveOnExit, merge } = flags
  const stop = untilStdinEnds === true ? Promise.race([stopSignal(), stdinEnd()]) : stopSignal()
  const cancelNotice = sayThatItStarts()
  let cluster: Cluster
  try {
    cluster = await started(startFromFlags(flags, { log: loggerOf(flags), partsAfterMs: PARTS_AFTER_MS, kubeconfigLater: true }), stop)
    cancelNotice()
    const page = flags.page === false ? undefined : { port: flags.pagePort ?? 0, readOnly: flags.pageReadOnly === true }
    await announceCluster(cluster, { merged: merge === true, page })
  } catch (error) {
    fail(error)
  }
  const relax = [keepHeapsLean(systemClock), collectWhenIdle(systemClock, { serving: true })]
  const reason = await Promise.race([stop, cluster.failed])
  for (const end of relax) end()
  if (reason instanceof Error) process.exitCode = 1
  if (reason instanceof Error) console.error(styleText('red', `bowsprit: ${reason.message}`))
  if (saveOnExit !== undefined) await saveLast(cluster, saveOnExit)
  await cluster[Symbol.asyncDispose]()
  if (reason === 'SIGINT') console.log(styleText('dim', farewell(cluster.config.dataDir)))
  process.exit()
}

const farewell = (dataDir: string | undefined) =>
  dataDir === undefined ? '\nStopped.' : `\nStopped. The cluster is kept in ${dataDir}: the same command goes on with it.`

/** A large cluster takes seconds. Only on a terminal. */
function sayThatItStarts(): () => void {
  if (!process.stderr.isTTY) return () => {}
  return systemClock.after(PATIENCE_MS, () => console.error(styleText('dim', 'Starting …')))
}

async function saveLast(cluster: Cluster, file: string): Promise<void> {
  try {
    await cluster.save(file)
    console.log(`Saved in ${file}: bowsprit up --from ${file}`)
  } catch (error) {
    console.error(styleText('red', `bowsprit: ${messageOf(error)}`))
    process.exitCode = 1
  }
}

/** A pipe that breaks is closed without its end; a file, /dev/null among them, ends and is not closed. */
function stdinEnd(): Promise<string> {
  return new Promise((resolve) => {
    const ended = () => resolve('end of standard input')
    process.stdin.once('end', ended).once('close', ended).resume()
  })
}

/** Ends the process: threads and sockets of a cluster that has begun to start would keep it. */
function fail(error: unknown): never {
  reportFailure('up', error)
  const known = error instanceof Error && 'code' in error
  if (!known && error instanceof Error) console.error(error.stack)
  process.exit()
}
