import { parseDuration } from '../machinery/go/go-duration.ts'
import { TimeError } from '../machinery/go/time-error.ts'
import { type Quantity, tryParseQuantity } from '../machinery/quantity.ts'

/** What a figure is at a time. */
export interface Amount {
  readonly quantity: Quantity
  /** It is what all replicas of a workload carry together. */
  readonly shared: boolean
}

/** A figure over time, from an annotation. */
export type Script = readonly { readonly fromMs: number; readonly amount: Amount }[]

/** One of the series of a metric, with its labels. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>
  readonly script: Script
}

/** A script that cannot be read; the message quotes what is wrong and shows how it is written. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError'
}

const SHARED = '/replicas'
/** More steps, or series, than are written by hand. */
const MOST_PARTS = 1000

/**
 * Reads `100m`, `100m,30s:400m,2m:50m` (from the times on, counted from the beginning), and `1200m/replicas`, which the replicas of a
 * workload share.
 * @throws {ScriptError}
 */
export function parseScript(text: string): Script {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length > MOST_PARTS) throw new ScriptError(`more than ${MOST_PARTS} steps`)
  let last = -1
  return parts.map((part, i) => {
    const colon = part.indexOf(':')
    if (colon < 0 && i > 0) throw fault(part, 'every step but the first begins with its time')
    const fromMs = colon < 0 ? 0 : timeOf(part.slice(0, colon).trim())
    if (fromMs <= last) throw fault(part, 'times must rise')
    last = fromMs
    return { fromMs, amount: amountOf(part.slice(colon + 1).trim()) }
  })
}

/**
 * Reads one or several series: `30`, or `{queue=a}30;{queue=b}20,1m:40`.
 * @throws {ScriptError}
 */
export function parseSeries(text: string): readonly Series[] {
  const parts = text.split(';')
  if (parts.length > MOST_PARTS) throw new ScriptError(`more than ${MOST_PARTS} series`)
  return parts.map((part) => {
    const trimmed = part.trim()
    if (!trimmed.startsWith('{')) return { labels: {}, script: parseScript(trimmed) }
    const end = trimmed.indexOf('}')
    if (end < 0) throw fault(trimmed, 'the labels end with }')
    return { labels: labelsOf(trimmed.slice(1, end)), script: parseScript(trimmed.slice(end + 1).trim()) }
  })
}

/** The value of a script at this time after its beginning; undefined before its first step. */
export function amountAt(script: Script, elapsedMs: number): Amount | undefined {
  let found: Amount | undefined
  for (const { fromMs, amount } of script) if (fromMs <= Math.max(0, elapsedMs)) found = amount
  return found
}

function amountOf(text: string): Amount {
  const shared = text.endsWith(SHARED)
  const quantity = tryParseQuantity(shared ? text.slice(0, -SHARED.length).trim() : text)
  if (quantity === undefined || quantity.sign() < 0) throw fault(text, 'an amount is a quantity such as 100m or 64Mi')
  return { quantity, shared }
}

function timeOf(text: string): number {
  try {
    const ms = Number(parseDuration(text)) / 1e6
    if (ms >= 0) return ms
  } catch (error) {
    if (!(error instanceof TimeError)) throw error
  }
  throw fault(text, 'a time is a duration such as 30s or 1m30s')
}

function labelsOf(text: string): Record<string, string> {
  const pairs = text
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map((pair) => {
      const [key = '', ...value] = pair.split('=')
      if (key.trim() === '' || value.length !== 1) throw fault(pair, 'a label is KEY=VALUE')
      return [key.trim(), (value[0] ?? '').trim()] as const
    })
  return Object.fromEntries(pairs)
}

const fault = (text: string, rule: string) => new ScriptError(`${JSON.stringify(text.slice(0, 100))}: ${rule}`)
