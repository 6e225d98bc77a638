import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { namesIn } from '../../base/names-in.ts'
import { replaceFile } from '../../base/replace-file.ts'
import { tryParseJson } from '../../machinery/json/try-parse-json.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { Attachment } from './attachment.ts'
import type { NetworkList } from './network-list.ts'

/** What is known of an attachment. */
export interface AttachmentRecord {
  /** As it was when the attachment was made. */
  readonly list: NetworkList
  readonly attachment: Attachment
  /** Absent: the plugins have not all answered. */
  readonly result?: JsonObject
}

type Key = Pick<Attachment, 'containerId' | 'ifName'>

/** Attachments and their results, in files: an agent that starts later can remove them. */
export class AttachmentRecords {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async write(record: AttachmentRecord): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    replaceFile(this.#fileOf(record.list.name, record.attachment), JSON.stringify(record))
  }

  async read(network: string, key: Key): Promise<AttachmentRecord | undefined> {
    return parse(await readFile(this.#fileOf(network, key), 'utf8').catch(() => ''))
  }

  async remove(network: string, key: Key): Promise<void> {
    await rm(this.#fileOf(network, key), { force: true })
  }

  async all(): Promise<readonly AttachmentRecord[]> {
    const names = (await namesIn(this.#folder)).filter((name) => name.endsWith('.json'))
    const texts = await Promise.all(names.map((name) => readFile(path.join(this.#folder, name), 'utf8').catch(() => '')))
    return texts.flatMap((text) => parse(text) ?? [])
  }

  #fileOf(network: string, { containerId, ifName }: Key): string {
    return path.join(this.#folder, `${network}-${containerId}-${ifName}.json`)
  }
}

/** Undefined: the file is absent, or was not written to its end. */
const parse = (text: string) => tryParseJson(text) as AttachmentRecord | undefined
