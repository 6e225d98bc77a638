import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * What a fresh store holds after the first start with default options, made when the package is built: to make these two hundred objects as
 * any others are made is a third of a start. What is each cluster's own stands in them as a hole.
 */
export interface PreparedObjects {
  /** The addresses of services that they were made for. */
  readonly serviceCidr: string
  /**
   * In the order in which they were stored, a line each: `=` where it is put right at a later start, or `.`; key; tab; JSON as it is
   * stored.
   */
  readonly lines: string
}

/** An object as the store has it. */
export interface StoredEntry {
  readonly key: string
  readonly value: string
}

export interface MadeEntry extends StoredEntry {
  /** Whether what people change of it is looked at when a server starts; of others only that they exist. */
  readonly kept: boolean
}

/** What is each cluster's own. */
export interface ClusterFacts {
  /** RFC 3339, in seconds. */
  readonly now: string
  /** The port of the API server. */
  readonly port: number
  uuid(): string
}

const UID = '<uid>'
const NOW = '<now>'
const TODAY = '<today>'
const PORT = '<port>'

/**
 * Cuts the holes into what a server stored that was started with this port.
 * @throws {Error} when an object has no uid, or a text looks like a hole
 */
export function withHoles(entries: readonly MadeEntry[], { port, serviceCidr }: { port: number; serviceCidr: string }): PreparedObjects {
  const lines = entries.map(({ key, value, kept }) => {
    if (/<(uid|now|today|port)>/.test(value)) throw new Error(`${key} holds what looks like a hole`)
    const { metadata } = JSON.parse(value) as { metadata?: { uid?: string } }
    if (metadata?.uid === undefined) throw new Error(`${key} is no object with a uid`)
    const holed = value
      .replaceAll(metadata.uid, UID)
      .replace(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g, `"${NOW}"`)
      .replace(/"\d{4}-\d\d-\d\d"/g, `"${TODAY}"`)
      .replaceAll(`"targetPort":${port}}`, `"targetPort":${PORT}}`)
    return `${kept ? '=' : '.'}${key}\t${holed}`
  })
  return { serviceCidr, lines: lines.join('\n') }
}

/** Fills the holes: what to put into the store, in this order. */
export function filled({ lines }: PreparedObjects, { now, port, uuid }: ClusterFacts): StoredEntry[] {
  const text = withTime(lines, now).replaceAll(PORT, String(port))
  return text.split('\n').map((line) => {
    const { key, holed } = partsOf(line)
    return { key, value: holed.replaceAll(UID, uuid()) }
  })
}

/**
 * Whether each of them stands there, and those that are kept as they were laid down: then nothing is to be put right. `stored`: the bytes
 * of a key.
 */
export function standAsPrepared({ lines }: PreparedObjects, stored: (key: string) => Buffer | undefined): boolean {
  return lines.split('\n').every((line) => {
    const { key, holed, kept } = partsOf(line)
    const bytes = stored(key)
    if (bytes === undefined || !kept) return bytes !== undefined
    const text = bytes.toString('latin1')
    const [, uid = '', now = ''] = /"uid":"([^"]*)",(?:"generation":\d+,)?"creationTimestamp":"([^"]*)"/.exec(text) ?? []
    return withTime(holed, now).replaceAll(UID, uid) === text
  })
}

function partsOf(line: string): { readonly key: string; readonly holed: string; readonly kept: boolean } {
  const tab = line.indexOf('\t')
  return { key: line.slice(1, tab), holed: line.slice(tab + 1), kept: line.startsWith('=') }
}

const withTime = (text: string, now: string) => text.replaceAll(NOW, now).replaceAll(TODAY, now.slice(0, 10))

/** The file beside the built package; a checkout has none, since its sources change. */
export const PREPARED_FILE = 'bootstrap.txt'

export const preparedText = ({ serviceCidr, lines }: PreparedObjects): string => `${serviceCidr}\n${lines}`

/** Those of the built package; undefined where this is not one. */
export function readPrepared(): PreparedObjects | undefined {
  const file = path.join(import.meta.dirname, 'generated', PREPARED_FILE)
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'latin1')
  const end = text.indexOf('\n')
  return { serviceCidr: text.slice(0, end), lines: text.slice(end + 1) }
}
