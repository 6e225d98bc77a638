import { type FSWatcher, watch } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type Clock, holding } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { errorOf } from '../../base/message-of.ts'
import { quiet } from '../../base/quiet.ts'
import { showGoDuration } from '../../machinery/go/go-duration.ts'
import type { Pod } from '../../resources/types/core.ts'
import { ExternalPluginError } from '../framework/external-plugin.ts'
import type { PluginCall, PluginParts, PluginQuestion, PluginResponse, PluginWorkerData } from './plugin-protocol.ts'

export interface PluginThreadOptions {
  readonly name: string
  readonly file: string
  readonly args: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
  readonly clock: Clock
  readonly log: Logger
}

/** Loading a module may take longer than a call. */
const LOAD_MS = 10_000

interface PendingCall {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** A plugin's module in a thread of its own: it can fail, hang or end, and is loaded again at the next call, or when its file changes. */
export class PluginThread {
  readonly #options: PluginThreadOptions
  /** The names of what the plugin has, once it was loaded. */
  known: ReadonlySet<string> | undefined
  /** Its hints by event, where it has some. */
  hints: PluginParts['hints']
  #worker: Worker | undefined
  #ready: Promise<ReadonlySet<string>> | undefined
  #waiting = new Map<number, PendingCall>()
  #last = 0
  #version = 0
  #watcher: FSWatcher | undefined

  constructor(options: PluginThreadOptions) {
    this.#options = options
  }

  /** Calls the plugin; rejects with an `ExternalPluginError` that names it if it fails or takes too long. */
  async ask(pod: Readonly<Pod>, call: PluginCall): Promise<unknown> {
    const { name, clock, timeoutMs } = this.#options
    return holding(clock, `plugin ${name}`, async () => {
      await this.parts()
      return this.#send({ ...call, id: ++this.#last, pod }, timeoutMs)
    })
  }

  /** Loads the plugin unless it is loaded, and returns which points it implements. */
  parts(): Promise<ReadonlySet<string>> {
    this.#ready ??= this.#start()
    return this.#ready
  }

  async close(): Promise<void> {
    this.#watcher?.close()
    this.#watcher = undefined
    await this.#worker?.terminate()
  }

  async #start(): Promise<ReadonlySet<string>> {
    const { name, file, args, log } = this.#options
    this.#watch()
    const url = `${pathToFileURL(file).href}?${this.#version}`
    const data: PluginWorkerData = { url, args }
    const worker = new Worker(workerUrl(), { workerData: data, name, execArgv: ['--disable-warning=ExperimentalWarning'] })
    worker.unref()
    this.#worker = worker
    worker.on('message', (answer: PluginResponse) => {
      const waiting = this.#waiting.get(answer.id)
      this.#waiting.delete(answer.id)
      if ('error' in answer) waiting?.reject(this.#fault(answer.error))
      else waiting?.resolve(answer.result)
    })
    worker.on('error', (reason: unknown) => {
      const error = errorOf(reason)
      log.warn('a plugin of the scheduler ended', { plugin: name, error })
      this.#forget(worker, this.#fault(error.message))
    })
    worker.on('exit', () => this.#forget(worker, this.#fault('it ended')))
    const parts = await holding(this.#options.clock, `loading plugin ${name}`, () => this.#answer(0, LOAD_MS, worker))
    const { names, hints } = parts as PluginParts
    this.hints = hints
    this.known = new Set(names)
    return this.known
  }

  #send(question: PluginQuestion, timeoutMs: number): Promise<unknown> {
    const worker = this.#worker
    if (worker === undefined) throw this.#fault('it ended')
    const answer = this.#answer(question.id, timeoutMs, worker)
    worker.postMessage(question)
    return answer
  }

  /** What comes under a number within its time; a thread that is late is ended, for it may hang for ever. */
  #answer(id: number, timeoutMs: number, worker: Worker): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.after(timeoutMs, () => {
        this.#forget(worker, this.#fault(`no answer within ${showGoDuration(timeoutMs)}`))
        void quiet(worker.terminate(), 'it may have ended')
      })
      this.#waiting.set(id, {
        resolve(result) {
          cancel()
          resolve(result)
        },
        reject(error) {
          cancel()
          reject(error)
        },
      })
    })
  }

  /** The thread ended: pending calls fail, and the next call starts another thread. */
  #forget(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#ready = undefined
    const waiting = [...this.#waiting.values()]
    this.#waiting = new Map()
    for (const one of waiting) one.reject(error)
  }

  #watch(): void {
    const { file, name, log } = this.#options
    if (this.#watcher !== undefined) return
    try {
      // The folder is watched, because editors replace a file by another one.
      this.#watcher = watch(path.dirname(file), { persistent: false }, (_event, changed) => {
        if (changed !== path.basename(file) || this.#worker === undefined) return
        log.info('a plugin of the scheduler is loaded anew', { plugin: name })
        this.#version++
        const old = this.#worker
        if (this.#waiting.size > 0) this.#forget(old, this.#fault('it is loaded anew'))
        this.#worker = undefined
        this.#ready = undefined
        void quiet(old.terminate(), 'it may have ended')
      })
    } catch (error) {
      log.warn('changes of a plugin will not be seen', { plugin: name, error })
    }
  }

  #fault(why: string): ExternalPluginError {
    return new ExternalPluginError(this.#options.name, `plugin "${this.#options.name}" failed: ${why}`)
  }
}

/** The worker is beside this file: as source, or bundled as an entry point of its own. */
function workerUrl(): URL {
  const here = new URL(import.meta.url)
  return new URL(`./plugin-worker${path.extname(here.pathname)}`, here)
}
