import { flushCompileCache } from 'node:module'
import { keepAlive, systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/random.ts'
import { EtcdFlagError, type EtcdFlags, etcdHelp, readEtcdFlags } from './flags.ts'
import { etcdLog } from './log.ts'
import { ETCD_VERSION } from './pages.ts'
import { EtcdError, type RunningEtcd, runEtcd } from './run-etcd.ts'

/** The process: from its words to its end. Ends as etcd does: by the signal that ended it. */
export async function startEtcd(words: readonly string[]): Promise<void> {
  if (words.some((word) => /^(--?help|-h|help)$/.test(word))) return void console.log(etcdHelp())
  let flags: EtcdFlags
  try {
    flags = readEtcdFlags(words, process.env)
  } catch (error) {
    if (!(error instanceof EtcdFlagError)) throw error
    console.error(`${error.message}\n${etcdHelp()}`)
    return process.exit(2)
  }
  if (flags.version !== 'false') return void console.log(`etcd Version: ${ETCD_VERSION}`)
  const log = etcdLog(flags['log-level'], systemClock)
  log('info', 'etcdmain/etcd.go:64', 'Running: ', { args: ['etcd', ...words] })
  if (words.some((word) => /^--?listen-client-urls\b/.test(word)) && !words.some((word) => /^--?advertise-client-urls\b/.test(word)))
    return fail('--advertise-client-urls is required when --listen-client-urls is set explicitly', 'failed to verify flags')
  const release = keepAlive()
  try {
    const from = process.env.BOWSPRIT_FROM || undefined
    const etcd = await runEtcd(flags, { clock: systemClock, random: systemRandom(), log, from })
    endBySignal(etcd)
  } catch (error) {
    release()
    if (!(error instanceof EtcdError)) throw error
    fail(error.message, error.code === 'bad-option' ? 'failed to verify flags' : 'discovery failed')
  }

  function fail(error: string, msg: string): never {
    log(msg === 'discovery failed' ? 'fatal' : 'warn', 'etcdmain/etcd.go:183', msg, { error })
    return process.exit(1)
  }

  function endBySignal(etcd: RunningEtcd): void {
    for (const name of ['SIGINT', 'SIGTERM'] as const)
      process.once(name, () => {
        log('info', 'osutil/interrupt_unix.go:65', 'received signal; shutting down', {
          signal: name === 'SIGINT' ? 'interrupt' : 'terminated',
        })
        etcd[Symbol.asyncDispose]().then(
          () => {
            log('info', 'embed/etcd.go:428', 'closed etcd server', { name: flags.name })
            // A process that ends by a signal writes down no compiled code by itself.
            if (process.env.BOWSPRIT_WARMING !== undefined) flushCompileCache()
            process.kill(process.pid, name)
          },
          () => process.exit(1),
        )
      })
  }
}
