import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { FlexDriver } from './flex-driver.ts'

/** Where Kubernetes looks for drivers if nothing else is said: `vendor~driver/driver` below it. */
export const FLEX_VOLUME_FOLDER = '/usr/libexec/kubernetes/kubelet-plugins/volume/exec/'

export interface FlexDriversDeps {
  readonly folder: string
  readonly clock: Clock
  readonly log: Logger
}

interface KnownDriver {
  /** Of the program: another file is another driver. */
  readonly stamp: string
  readonly driver: Promise<FlexDriver | undefined>
}

/** The FlexVolume drivers in a folder. They may come, change and go at any moment. */
export class FlexDrivers {
  readonly #deps: FlexDriversDeps
  readonly #known = new Map<string, KnownDriver>()

  constructor(deps: FlexDriversDeps) {
    this.#deps = deps
  }

  /** undefined: there is no such program, or its `init` fails; then it is called again the next time. */
  async find(name: string): Promise<FlexDriver | undefined> {
    const program = programOf(this.#deps.folder, name)
    const stamp = program === undefined ? undefined : await stampOf(program)
    if (program === undefined || stamp === undefined) {
      this.#known.delete(name)
      return undefined
    }
    const known = this.#known.get(name)
    if (known?.stamp === stamp) return known.driver
    const driver = this.#init(name, program)
    this.#known.set(name, { stamp, driver })
    return driver
  }

  async #init(name: string, program: string): Promise<FlexDriver | undefined> {
    const { clock, log } = this.#deps
    try {
      return await FlexDriver.init(name, program, clock)
    } catch (error) {
      this.#known.delete(name)
      log.warn(`the FlexVolume driver ${name} cannot be used: init failed`, { error: messageOf(error) })
      return undefined
    }
  }
}

/** Names come from pods: they lead to no other folder, and to no volume plugin of Kubernetes' own. Pure. */
export const isFlexDriverName = (name: string): boolean =>
  /^([A-Za-z0-9][\w.-]*\/)?[A-Za-z0-9][\w.-]*$/.test(name) && !name.startsWith('kubernetes.io/')

function programOf(folder: string, name: string): string | undefined {
  if (!isFlexDriverName(name)) return undefined
  return path.join(folder, name.replace('/', '~'), name.split('/').at(-1) ?? '')
}

async function stampOf(program: string): Promise<string | undefined> {
  const stats = await stat(program).catch(() => undefined)
  return stats?.isFile() ? `${stats.dev} ${stats.ino} ${stats.mtimeMs} ${stats.size}` : undefined
}
