import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { messageOf } from '../../../base/message-of.ts'
import type { ShippedProcess } from '../shipped/shipped-process.ts'
import { withoutLinks } from './host-entries.ts'
import { mirror, type Written } from './mirror-files.ts'
import type { Bind } from './root-plan.ts'

/** The volumes of a container as folders of this machine, kept like those in memory while its process runs. */
export class ProcessVolumes {
  readonly #container: ShippedProcess
  readonly #folder: string
  readonly #written: Written = new Map()
  readonly #waiting = new Set<string>()
  #syncing = false

  constructor(container: ShippedProcess, folder: string) {
    this.#container = container
    this.#folder = folder
  }

  /** Writes them, and follows their changes until the process ends. */
  async open(): Promise<readonly Bind[]> {
    const { fileSystem, volumes, hold } = this.#container
    const binds: Bind[] = []
    for (const { path: at, readOnly } of volumes) {
      await mkdir(path.dirname(this.#sourceOf(at)), { recursive: true })
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

  #changed(at: string): void {
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
