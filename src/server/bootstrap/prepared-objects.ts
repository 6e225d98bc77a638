import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * The content of a fresh store after the first start with default options, prepared when the package is built: creating these two hundred
 * objects would take a third of a start. What differs between clusters is replaced by placeholders.
 */
export interface PreparedObjects {
  /** The service CIDR that they were prepared for. */
  readonly serviceCidr: string
  /** In order of their creation, one per line: `=` if the object is repaired at a later start, or `.`; key; tab; JSON as stored. */
  readonly lines: string
}

/** A stored object. */
export interface StoredEntry {
  readonly key: string
  readonly value: string
}

export interface MadeEntry extends StoredEntry {
  /** Whether the object is compared when a server starts; others only have to exist. */
  readonly kept: boolean
}

/** The facts that differ between clusters. */
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
 * Replaces the facts of a server that was started with this port by placeholders.
 * @throws {Error} if an object has no UID, or a text looks like a placeholder
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

/** Fills in the placeholders; returns the entries for the store, in order. */
export function filled({ lines }: PreparedObjects, { now, port, uuid }: ClusterFacts): StoredEntry[] {
  const text = withTime(lines, now).replaceAll(PORT, String(port))
  return text.split('\n').map((line) => {
    const { key, holed } = partsOf(line)
    return { key, value: holed.replaceAll(UID, uuid()) }
  })
}

/** Whether all of them exist, and those that are compared are unchanged: then nothing has to be repaired. `stored`: the bytes of a key. */
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

/** The file next to the built package; a checkout has none, because its sources change. */
export const PREPARED_FILE = 'bootstrap.txt'

export const preparedText = ({ serviceCidr, lines }: PreparedObjects): string => `${serviceCidr}\n${lines}`

/** The objects of the built package; undefined if this is none. */
export function readPrepared(): PreparedObjects | undefined {
  const file = path.join(import.meta.dirname, 'generated', PREPARED_FILE)
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'latin1')
  const end = text.indexOf('\n')
  return { serviceCidr: text.slice(0, end), lines: text.slice(end + 1) }
}
