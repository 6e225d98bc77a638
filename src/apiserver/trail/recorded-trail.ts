import { type Cause, currentCause } from '../../base/cause.ts'
import { messageOf } from '../../base/message-of.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { NO_QUERY } from '../request/query.ts'
import type { Request } from '../request/request.ts'
import type { RequestInfo } from '../request/request-info.ts'
import { type PluginStep, type RecordedStep, TRAIL_STAGES, type Trail, type TrailedRequest, type TrailStageName } from '../request/trail.ts'

/** The message of a failure is cut to this many characters. */
const MOST_MESSAGE = 1024
/** A longer annotation is left out: patches of webhooks may be as large as their object. */
const MOST_ANNOTATION = 16_384
/** Steps of one request that are kept. */
const MOST_STEPS = 256
/** The message of a step is cut to this many characters. */
const MOST_STEP_MESSAGE = 512
/** What a trail takes beside its texts, measured with a heap snapshot. */
const BASE_BYTES = 1024
const STEP_BYTES = 200
const PASSED_STEP_BYTES = 16

const RESPOND = TRAIL_STAGES.indexOf('respond')
const READS: ReadonlySet<string> = new Set(['get', 'list'])

/** Parameters that are shown: they change what a request does, and hold no secrets. */
const SHOWN_PARAMETERS = [
  'dryRun',
  'fieldManager',
  'fieldValidation',
  'labelSelector',
  'fieldSelector',
  'resourceVersion',
  'watch',
] as const

const NO_PARAMETERS: readonly (readonly [string, string])[] = []
const NO_ADDRESSES: readonly string[] = []

/** Where a trail is kept. */
export interface TrailKeeper {
  readonly detailed: boolean
  monotonic(): number
  now(): number
  /** An id for a request without one, and so the name of its trail. */
  newId(): string
  /** A name for the trail of that id. */
  nameFor(id: string): string
  /** The trail has something new to show. */
  changed(trail: RecordedTrail): void
  /** The request has ended. */
  completed(trail: RecordedTrail): void
  /** The trail takes more memory. */
  grown(trail: RecordedTrail, bytes: number): void
}

/**
 * The facts of one request. Writing them is cheap: whatever follows from them (the binding in a reason, the field manager in a user agent)
 * is found when somebody reads the trail.
 */
export class RecordedTrail implements Trail {
  readonly #keeper: TrailKeeper
  #name = ''
  #id = ''
  info: RequestInfo
  /** Milliseconds from the arrival to the end of each stage, in the order of `TRAIL_STAGES`; NaN: not reached. */
  readonly #ends: number[] = TRAIL_STAGES.map(() => Number.NaN)
  receivedAt = 0
  /** Of the monotonic clock. */
  startedMs = 0
  inProcess = false
  /** It asks for what is there at present. */
  isRead = false
  userAgent = ''
  sourceIPs: readonly string[] = NO_ADDRESSES
  parameters: readonly (readonly [string, string])[] = NO_PARAMETERS
  /** Known of requests in process. */
  cause: Cause | undefined
  sender: UserInfo | undefined
  user: UserInfo | undefined
  flow: { readonly schema: string; readonly priorityLevel: string } | undefined
  /** Keys and values by turns. */
  annotations: string[] | undefined
  /** In order. Most are those of plugins that passed, which all requests share; their times are in `#stepMs`. */
  #steps: (RecordedStep | PluginStep)[] | undefined
  #stepMs: number[] | undefined
  storedKey: string | undefined
  storedRevision: number | undefined
  failure: { readonly reason: string; readonly message: string } | undefined
  /** Undefined while it runs. */
  code: number | undefined
  bytes = 0
  /** It is among the trails that are kept. */
  kept = false
  /** The revision of the last change; 0: it was never announced. */
  revision = 0
  /** The revision at which it was announced first. */
  since = 0

  /** `info`: of the first request; the trail may record others when that one has ended. */
  constructor(keeper: TrailKeeper, info: RequestInfo) {
    this.#keeper = keeper
    this.info = info
  }

  static isRead({ info, long }: Pick<Request, 'info' | 'long'>): boolean {
    return !long && READS.has(info.verb)
  }

  /** Begins to record a request, in place of the one before. */
  begin(request: Request): void {
    this.#name = ''
    this.#id = request.auditId ?? ''
    this.startedMs = this.#keeper.monotonic()
    this.receivedAt = this.#keeper.now()
    this.#ends.fill(Number.NaN)
    this.info = request.info
    this.inProcess = request.sender !== undefined
    this.isRead = RecordedTrail.isRead(request)
    this.sender = request.sender
    this.user = request.sender
    this.userAgent = this.inProcess ? '' : request.userAgent
    this.sourceIPs = request.sourceIPs
    this.parameters = shownParameters(request)
    this.cause = this.inProcess ? currentCause() : undefined
    this.flow = undefined
    this.annotations = undefined
    this.#steps = undefined
    this.#stepMs = undefined
    this.storedKey = undefined
    this.storedRevision = undefined
    this.failure = undefined
    this.code = undefined
    this.bytes = BASE_BYTES + 2 * (this.info.path.length + this.userAgent.length)
    for (const [, value] of this.parameters) this.bytes += 2 * value.length
    this.kept = true
    this.revision = 0
    this.since = 0
  }

  /** The key of the trail among all. */
  get name(): string {
    if (this.#name === '') this.#name = this.#id === '' ? this.id : this.#keeper.nameFor(this.#id)
    return this.#name
  }

  set name(name: string) {
    this.#name = name
  }

  get id(): string {
    if (this.#id === '') this.#id = this.#keeper.newId()
    return this.#id
  }
  get detailed(): boolean {
    return this.#keeper.detailed
  }

  /** Milliseconds from the arrival to the end of a stage; undefined: not reached. */
  endOf(stage: TrailStageName): number | undefined {
    const end = this.#ends[TRAIL_STAGES.indexOf(stage)]
    return end === undefined || Number.isNaN(end) ? undefined : end
  }

  elapsedMs(): number {
    return this.#keeper.monotonic() - this.startedMs
  }

  passed(stage: TrailStageName, request: TrailedRequest): void {
    this.#ends[TRAIL_STAGES.indexOf(stage)] = this.elapsedMs()
    if (stage === 'authenticate') {
      this.sender = request.sender
      this.user = request.sender
    } else if (stage === 'wait') this.user = request.user
    else if (stage === 'handle' && request.long) this.#keeper.changed(this)
  }

  seat(schema: string, priorityLevel: string): void {
    this.flow = { schema, priorityLevel }
  }

  annotate(key: string, value: string): void {
    if (value.length > MOST_ANNOTATION) return
    this.annotations ??= []
    if (this.annotations.length >= 2 * MOST_STEPS) return
    this.annotations.push(key, value)
    this.#grow(2 * (key.length + value.length))
  }

  step({ message, ...rest }: RecordedStep): void {
    const step = message === undefined ? rest : { ...rest, message: message.slice(0, MOST_STEP_MESSAGE) }
    this.#addStep(step, step.milliseconds, STEP_BYTES + (step.changes === undefined ? 0 : 2 * JSON.stringify(step.changes).length))
  }

  passedStep(of: PluginStep, milliseconds: number): void {
    this.#addStep(of, milliseconds, PASSED_STEP_BYTES)
  }

  /** What admission did; undefined: nothing was recorded. */
  get steps(): RecordedStep[] | undefined {
    return this.#steps?.map((step, i) =>
      'outcome' in step ? step : { phase: step.phase, plugin: step.plugin, outcome: 'passed', milliseconds: this.#stepMs?.[i] ?? 0 },
    )
  }

  #addStep(step: RecordedStep | PluginStep, milliseconds: number, bytes: number): void {
    this.#steps ??= []
    this.#stepMs ??= []
    if (this.#steps.length >= MOST_STEPS) return
    this.#steps.push(step)
    this.#stepMs.push(milliseconds)
    this.#grow(bytes)
  }

  stored(key: string, revision: number): void {
    this.storedKey = key
    this.storedRevision = revision
  }

  failed(error: unknown): void {
    if (this.failure !== undefined || this.code !== undefined) return
    const { reason = '', message = '' } =
      error instanceof StatusError ? error.status : { reason: 'InternalError', message: messageOf(error) }
    this.failure = { reason, message: message.slice(0, MOST_MESSAGE) }
    this.#endStage()
    this.#grow(2 * message.length)
  }

  complete(code: number): void {
    if (this.code !== undefined) return
    this.code = code
    this.#ends[RESPOND] = this.elapsedMs()
    this.#keeper.completed(this)
  }

  /** The stage in which it fails ends there: what follows is the response. */
  #endStage(): void {
    const stage = this.#ends.findIndex(Number.isNaN)
    if (stage >= 0 && stage < RESPOND) this.#ends[stage] = this.elapsedMs()
  }

  #grow(bytes: number): void {
    this.bytes += bytes
    this.#keeper.grown(this, bytes)
  }
}

function shownParameters({ query }: Request): readonly (readonly [string, string])[] {
  if (query === NO_QUERY) return NO_PARAMETERS
  let found: [string, string][] | undefined
  for (const name of SHOWN_PARAMETERS) {
    const value = query.get(name)
    if (value === undefined) continue
    found ??= []
    found.push([name, value])
  }
  return found ?? NO_PARAMETERS
}
