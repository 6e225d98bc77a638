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
}

export type RecordedStep = RequestStep | NoteStep

export const isRequest = (step: RecordedStep): step is RequestStep => 'do' in step && 'answer' in step && !('note' in step)

/** What differs; undefined: nothing that a client would notice. */
export function differenceOf({ answer: want }: RequestStep, got: FaultResponse): string | undefined {
  // kube-apiserver sends 504 or breaks the connection when a request's time is over, as it happens.
  const [wanted, found] = [codeOf(want), codeOf(got)]
  if (wanted !== found) return `want ${wanted} ${messageIn(want)}, got ${found} ${messageIn(got)}`
  if (found < 400) return isDeepStrictEqual(kindIn(want), kindIn(got)) ? undefined : `want ${kindIn(want)}, got ${kindIn(got)}`
  const [text, own] = [plain(messageIn(want)), plain(messageIn(got))]
  return text === own || found === BROKEN ? undefined : `want ${text}, got ${own}`
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
