import { isDeepStrictEqual } from 'node:util'

/** An answer as it was recorded, or as it came. */
export interface FaultResponse {
  readonly code?: number
  /** The connection broke. */
  readonly error?: string
  readonly body?: unknown
}

export interface RequestStep {
  /** `GET /livez?verbose`, `WATCH /api/…?watch=1&timeoutSeconds=2 (opened now)`, `POST /apis/… (1000 KiB of data)` */
  readonly do: string
  readonly body?: unknown
  readonly answer: FaultResponse
}

export interface NoteStep {
  readonly note: string
  /** Of a key that is put by hand, in base64. */
  readonly value?: string
  /** How a program ended. */
  readonly exit?: number
  /** What a client got before the server was ready. */
  readonly before?: string
  readonly watch?: WatchOutcome
  /** Of open watches of a resource with a watch cache, and of events, which have none. */
  readonly cached?: WatchOutcome
  readonly events?: WatchOutcome
}

/** Whether a note tells what happened, and not only what was done. */
export const hasOutcome = ({ exit, watch, cached, before }: NoteStep): boolean =>
  [exit, watch, cached, before].some((outcome) => outcome !== undefined)

/** What a watch delivered. */
export interface WatchOutcome {
  readonly code: number
  /** The first ones. */
  readonly events: readonly { readonly type: string; readonly object?: { readonly message?: string } }[]
  readonly count: number
  readonly endedAfterMs?: number
}

export type RecordedStep = RequestStep | NoteStep

export const isRequest = (step: RecordedStep): step is RequestStep => 'do' in step && 'answer' in step

/** What differs; undefined: nothing that a client would notice. */
export function differenceOf({ answer: want }: RequestStep, got: FaultResponse): string | undefined {
  // kube-apiserver sends 504 or breaks the connection when a request's time is over, as it happens.
  const [wanted, found] = [codeOf(want), codeOf(got)]
  if (wanted !== found) return `want ${wanted} ${messageIn(want)}, got ${found} ${messageIn(got)}`
  if (found < 400) return isDeepStrictEqual(kindIn(want), kindIn(got)) ? undefined : `want ${kindIn(want)}, got ${kindIn(got)}`
  const [text, own] = [plain(messageIn(want)), plain(messageIn(got))]
  return text === own || found === BROKEN ? undefined : `want ${text}, got ${own}`
}

/** What differs in a watch: its status, whether it ended with an error, and which. */
export function differenceOfWatch(want: WatchOutcome, got: WatchOutcome): string | undefined {
  const [wanted, found] = [want, got].map(({ code, events, count }) => {
    const error = events.find(({ type }) => type === 'ERROR')
    return `${code}, ${error === undefined ? `${count} events` : plain(error.object?.message ?? '')}`
  })
  return wanted === found ? undefined : `want ${wanted}, got ${found}`
}

const BROKEN = 504
const codeOf = ({ code, error }: FaultResponse): number => code ?? (error === undefined ? 0 : BROKEN)

function messageIn({ body }: FaultResponse): string {
  if (typeof body === 'string') return ''
  return isRecord(body) && typeof body.message === 'string' ? body.message : ''
}

const kindIn = ({ body }: FaultResponse): unknown => (isRecord(body) ? body.kind : undefined)
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const plain = (message: string): string => message.replace(/\d{3,}/g, 'N')
