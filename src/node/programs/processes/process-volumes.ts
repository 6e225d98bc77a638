import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { messageOf } from '../../../base/message-of.ts'
import { quiet } from '../../../base/quiet.ts'
import type { ShippedProcess } from '../shipped/shipped-process.ts'
import { withoutLinks } from './host-entries.ts'
import { type Mirror, mirror } from './mirror-files.ts'
import type { Bind } from './root-plan.ts'
import { takeBack } from './take-back.ts'

/** The volumes of a container as folders of this machine, kept like those in memory while its process runs. */
export class ProcessVolumes {
  readonly #container: ShippedProcess
  readonly #folder: string
  readonly #mirror: Mirror
  readonly #waiting = new Set<string>()
  #syncing = false
  #closed = false

  constructor(container: ShippedProcess, folder: string) {
    this.#container = container
    this.#folder = folder
    this.#mirror = { written: new Map(), staging: path.join(folder, 'next'), points: this.#points() }
  }

  /** Where volumes are mounted in other volumes. */
  #points(): Mirror['points'] {
    const { volumes } = this.#container
    const inner = volumes.flatMap(({ path: at }) => {
      const outer = volumes.filter((one) => at.startsWith(`${one.path}/`)).toSorted((a, b) => b.path.length - a.path.length)[0]
      return outer === undefined ? [] : [[this.#sourceOf(outer.path) + at.slice(outer.path.length), this.#kindOf(at)] as const]
    })
    return new Map(inner)
  }

  #kindOf(at: string): Bind['kind'] {
    return this.#container.fileSystem.node(at, true).kind === 'directory' ? 'directory' : 'file'
  }

  /** Writes them, and follows their changes until the process ends. */
  async open(): Promise<readonly Bind[]> {
    const { fileSystem, volumes, hold } = this.#container
    const binds: Bind[] = []
    // Not with what is above: it is gone when the process was killed meanwhile.
    await mkdir(this.#folder)
    await mkdir(this.#mirror.staging)
    for (const { path: at, readOnly } of volumes) {
      await this.#write(at)
      binds.push({ source: this.#sourceOf(at), path: withoutLinks(at), kind: this.#kindOf(at), readOnly })
      hold(fileSystem.watch(at, () => this.#changed(at)))
    }
    return binds
  }

  #sourceOf(at: string): string {
    return path.join(this.#folder, String(this.#container.volumes.findIndex((volume) => volume.path === at)))
  }

  async #write(at: string): Promise<void> {
    await mirror(this.#container.fileSystem.node(at, true), this.#sourceOf(at), this.#mirror)
  }

  /** What the process has written into its volumes is in them from now on, for others and for its next start. */
  async takeBack(): Promise<void> {
    this.#closed = true
    const { fileSystem, volumes, stderr } = this.#container
    const refused = (file: string, error: unknown) =>
      void quiet(stderr.write(`bowsprit: ${file} is lost: ${messageOf(error)}\n`), 'the log may be closed already')
    for (const { path: at, readOnly } of volumes) {
      if (readOnly || this.#kindOf(at) !== 'directory') continue
      await takeBack(this.#sourceOf(at), at, { fileSystem, laid: this.#mirror, refused })
    }
  }

  #changed(at: string): void {
    if (this.#closed) return
    this.#waiting.add(at)
    if (this.#syncing) return
    this.#syncing = true
    void this.#sync().finally(() => {
      this.#syncing = false
    })
  }

  /** One after the other: what changes meanwhile is written once more. */
  async #sync(): Promise<void> {
    for (const at of this.#waiting) {
      this.#waiting.delete(at)
      try {
        await this.#write(at)
      } catch (error) {
        await this.#container.stderr.write(`bowsprit: the volume at ${at} could not be brought up to date: ${messageOf(error)}\n`)
      }
    }
  }
}

/** The file that a process leaves its last words in. */
export async function messageFile(at: string, messagePath: string): Promise<Bind> {
  await writeFile(at, '')
  return { source: at, path: withoutLinks(messagePath), kind: 'file', readOnly: false }
}
