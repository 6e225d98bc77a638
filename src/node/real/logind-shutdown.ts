import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { pause } from '../../base/pause.ts'
import { quiet } from '../../base/quiet.ts'
import type { ShutdownWatch } from '../shutdown/shutdown-watch.ts'

export interface LogindShutdownDeps {
  /** How long the pods may take together, in seconds. */
  readonly seconds: number
  readonly clock: Clock
  readonly log: Logger
  /** Where logind's configuration is extended. Default `/etc/systemd/logind.conf.d`. */
  readonly configFolder?: string
  /** Of the programs of systemd. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv
}

const RETRY_MS = 10_000
const LOGIND = ['org.freedesktop.login1', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager'] as const
const SIGNALS = `type='signal',interface='${LOGIND[2]}',member='PrepareForShutdown'`
const INHIBIT = ['--what=shutdown', '--mode=delay', '--who=bowsprit', '--why=the pods of this node end first', 'sleep', 'infinity']

const run = promisify(execFile)

/**
 * Learns of the machine's shutdown from systemd's logind, and delays it until the pods have ended (KEP-2000), by systemd's own programs: a
 * lock of logind is an open file, which Node cannot receive.
 */
export class LogindShutdown implements ShutdownWatch {
  readonly #deps: LogindShutdownDeps
  #down = false
  #lock: ChildProcess | undefined

  constructor(deps: LogindShutdownDeps) {
    this.#deps = deps
  }

  isDown(): boolean {
    return this.#down
  }

  async run(changed: () => void, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps
    let logged = ''
    try {
      while (!signal.aborted) {
        try {
          await this.#allowDelay()
          logged = ''
          await this.#follow(changed, signal)
        } catch (error) {
          const message = messageOf(error)
          if (message !== logged) log.warn('shutdowns of the machine are not noticed: logind cannot be reached', { error: message })
          logged = message
        }
        await pause(clock, RETRY_MS, signal)
      }
    } finally {
      this.ended()
    }
  }

  ended(): void {
    this.#lock?.kill()
    this.#lock = undefined
  }

  /** As the kubelet, raises the time for which logind waits, where it is too short. */
  async #allowDelay(): Promise<void> {
    const { seconds, configFolder = '/etc/systemd/logind.conf.d', env } = this.#deps
    const { stdout } = await run('busctl', ['--system', 'get-property', ...LOGIND, 'InhibitDelayMaxUSec'], { env })
    if (Number(stdout.trim().split(' ')[1]) >= seconds * 1e6) return
    await mkdir(configFolder, { recursive: true })
    await writeFile(path.join(configFolder, '99-bowsprit.conf'), `[Login]\nInhibitDelayMaxSec=${seconds}\n`)
    await run('systemctl', ['reload', 'systemd-logind.service'], { env })
  }

  /** Resolves when logind's signals end. */
  async #follow(changed: () => void, signal: AbortSignal): Promise<void> {
    const monitor = spawn('busctl', ['--system', '--json=short', `--match=${SIGNALS}`, 'monitor'], {
      env: this.#deps.env,
      signal,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const failed = Promise.withResolvers<void>()
    quiet(failed.promise, 'it may fail before it is awaited')
    monitor.on('error', (error) => (signal.aborted ? failed.resolve() : failed.reject(error)))
    monitor.on('close', () => failed.resolve())
    this.#takeLock()
    try {
      for await (const line of createInterface({ input: monitor.stdout })) {
        const down = shutdownIn(line)
        if (down === undefined || down === this.#down) continue
        this.#down = down
        // A lock that was given back is needed for the next shutdown.
        if (!down) this.#takeLock()
        changed()
      }
      await failed.promise
    } finally {
      monitor.kill()
    }
  }

  #takeLock(): void {
    if (this.#lock !== undefined) return
    const lock = spawn('systemd-inhibit', INHIBIT, { env: this.#deps.env, stdio: 'ignore' })
    lock.on('error', (error) => this.#deps.log.warn('the shutdown of the machine cannot be delayed', { error: messageOf(error) }))
    lock.on('exit', () => {
      if (this.#lock === lock) this.#lock = undefined
    })
    this.#lock = lock
  }
}

/** Whether the machine shuts down, by a line of `busctl monitor --json=short`; undefined: it is about something else. Pure. */
export function shutdownIn(line: string): boolean | undefined {
  if (!line.startsWith('{')) return undefined
  const { member, payload } = JSON.parse(line) as { readonly member?: string; readonly payload?: { readonly data?: readonly unknown[] } }
  return member === 'PrepareForShutdown' ? payload?.data?.[0] === true : undefined
}
