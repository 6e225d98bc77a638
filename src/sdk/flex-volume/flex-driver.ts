import type { Clock } from '../../base/clock.ts'
import { type FlexAnswer, type FlexCapabilities, readFlexAnswer } from './flex-answer.ts'
import { FlexError } from './flex-error.ts'
import { runDriver } from './run-driver.ts'

/** The kubelet waits for ever; a driver that hangs is given up here. */
const CALL_LIMIT_MS = 120_000
/** As the kubelet's, for a device to appear. */
const ATTACH_LIMIT_MS = 600_000

/** What a driver is called with beside paths and names: JSON, with its keys in order. */
export type FlexOptions = Readonly<Record<string, string>>

/** A FlexVolume driver: a program that is run for each command. */
export class FlexDriver {
  /** `vendor/driver`. */
  readonly name: string
  readonly capabilities: FlexCapabilities
  readonly #program: string
  readonly #clock: Clock
  /** Commands that it said it does not have: it is not asked again. */
  readonly #unsupported = new Set<string>()

  private constructor(name: string, program: string, clock: Clock, capabilities: FlexCapabilities) {
    this.name = name
    this.capabilities = capabilities
    this.#program = program
    this.#clock = clock
  }

  /** Calls `init`. @throws {FlexError} */
  static async init(name: string, program: string, clock: Clock): Promise<FlexDriver> {
    const { capabilities } = await call({ program, command: 'init', args: [], clock })
    return new FlexDriver(name, program, clock, capabilities)
  }

  /** @throws {FlexError} */
  async call(command: string, ...args: readonly (string | FlexOptions)[]): Promise<FlexAnswer> {
    if (this.#unsupported.has(command)) throw new FlexError('Not supported', { notSupported: true })
    try {
      return await call({ program: this.#program, command, args, clock: this.#clock })
    } catch (error) {
      if (isNotSupported(error)) this.#unsupported.add(command)
      throw error
    }
  }

  /** The same for a command that drivers need not have: undefined if it does not. @throws {FlexError} */
  async tryCall(command: string, ...args: readonly (string | FlexOptions)[]): Promise<FlexAnswer | undefined> {
    try {
      return await this.call(command, ...args)
    } catch (error) {
      if (isNotSupported(error)) return undefined
      throw error
    }
  }
}

interface DriverCall {
  readonly program: string
  readonly command: string
  readonly args: readonly (string | FlexOptions)[]
  readonly clock: Clock
}

async function call({ program, command, args, clock }: DriverCall): Promise<FlexAnswer> {
  const words = args.map((arg) => (typeof arg === 'string' ? arg : optionsText(arg)))
  const timeoutMs = command === 'waitforattach' ? ATTACH_LIMIT_MS : CALL_LIMIT_MS
  const { text, code } = await runDriver({ program, args: [command, ...words], timeoutMs, clock })
  const answer = readFlexAnswer(command, text)
  // It contradicts itself.
  if (code !== 0) throw new FlexError(code === null ? 'signal: killed' : `exit status ${code}`)
  return answer
}

const optionsText = (options: FlexOptions) =>
  JSON.stringify(Object.fromEntries(Object.entries(options).toSorted(([a], [b]) => (a < b ? -1 : 1))))

const isNotSupported = (error: unknown) => error instanceof FlexError && error.notSupported
