import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { messageOf } from '../../../base/message-of.ts'
import { quiet } from '../../../base/quiet.ts'
import type { ShippedProcess } from '../shipped/shipped-process.ts'
import { withoutLinks } from './host-entries.ts'
import { mirror, type Written } from './mirror-files.ts'
import type { Bind } from './root-plan.ts'
import { takeBack } from './take-back.ts'

/** The volumes of a container as folders of this machine, kept like those in memory while its process runs. */
export class ProcessVolumes {
  readonly #container: ShippedProcess
  readonly #folder: string
  readonly #written: Written = new Map()
  readonly #waiting = new Set<string>()
  #syncing = false
  #closed = false

  constructor(container: ShippedProcess, folder: string) {
    this.#container = container
    this.#folder = folder
  }

  /** Writes them, and follows their changes until the process ends. */
  async open(): Promise<readonly Bind[]> {
    const { fileSystem, volumes, hold } = this.#container
    const binds: Bind[] = []
    // Not with what is above: it is gone when the process was killed meanwhile.
    await mkdir(this.#folder)
    for (const { path: at, readOnly } of volumes) {
      await this.#write(at)
      const { kind } = fileSystem.node(at, true)
      binds.push({ source: this.#sourceOf(at), path: withoutLinks(at), kind: kind === 'directory' ? kind : 'file', readOnly })
      hold(fileSystem.watch(at, () => this.#changed(at)))
    }
    return binds
  }

  #sourceOf(at: string): string {
    return path.join(this.#folder, String(this.#container.volumes.findIndex((volume) => volume.path === at)))
  }

  async #write(at: string): Promise<void> {
    await mirror(this.#container.fileSystem.node(at, true), this.#sourceOf(at), this.#written)
  }

  /** What the process has written into its volumes is in them from now on, for others and for its next start. */
  async takeBack(): Promise<void> {
    this.#closed = true
    const { fileSystem, volumes, stderr } = this.#container
    const refused = (file: string, error: unknown) =>
      void quiet(stderr.write(`bowsprit: ${file} is lost: ${messageOf(error)}\n`), 'the log may be closed already')
    for (const { path: at, readOnly } of volumes) {
      if (readOnly || fileSystem.node(at, true).kind !== 'directory') continue
      await takeBack(this.#sourceOf(at), at, { fileSystem, written: this.#written, refused })
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
