import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type Clock, holding } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import { ConfigurationError } from '../config/configuration-error.ts'
import type { RegisteredModule } from '../legacy/registered-module.ts'

const LOAD_MS = 10_000

/** Loads a module of predicates, priorities, providers and algorithms in a thread of its own, and returns what it registered. */
export function readRegistrations(module: string, clock: Clock): Promise<RegisteredModule> {
  const file = path.resolve(module)
  const fault = (why: string) => new ConfigurationError(`module ${file}: ${why}`)
  if (!existsSync(file)) throw fault('it is not there')
  const name = path.basename(file, path.extname(file))
  const workerData = { url: pathToFileURL(file).href, name, file }
  const worker = new Worker(workerUrl(), { workerData, name, execArgv: ['--disable-warning=ExperimentalWarning'] })
  return holding(clock, `loading ${name}`, async () => {
    try {
      return await new Promise<RegisteredModule>((resolve, reject) => {
        const cancel = clock.after(LOAD_MS, () => reject(fault('it was not loaded within 10s')))
        worker.once('message', (read: RegisteredModule) => {
          cancel()
          resolve(read)
        })
        worker.once('error', (error) => {
          cancel()
          reject(fault(messageOf(error)))
        })
        worker.once('exit', () => {
          cancel()
          reject(fault('it ended'))
        })
      })
    } finally {
      await worker.terminate()
    }
  })
}

/** The worker is beside this file: as source, or bundled as an entry point of its own. */
function workerUrl(): URL {
  const here = new URL(import.meta.url)
  return new URL(`./registrations-worker${path.extname(here.pathname)}`, here)
}
