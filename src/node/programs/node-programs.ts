import type { ByteDuplex } from '../../machinery/streams.ts'
import type { PodNetwork } from '../runtime/pod-network.ts'
import type { ContainerPrograms } from '../runtime/simulated/play.ts'
import type { Engine } from './engine.ts'
import type { ImageTable } from './image-match.ts'
import { knownPrograms } from './known-programs.ts'

/** What is there of a node once programs have been loaded. */
export interface LoadedNode {
  readonly engine: Engine
  /** For a port at which programs listen; `all`: for any. */
  networkAt(ip: string, port: number, all: boolean): PodNetwork | undefined
  forward(ips: readonly string[], port: number, connection: ByteDuplex): Promise<boolean>
  networkGone(ips: readonly string[]): void
}

export interface NodeProgramsDeps {
  readonly images: ImageTable
  /** Loads what programs need, at the first container that has one. */
  readonly load: () => Promise<LoadedNode>
}

/** The programs of one node: nothing is loaded before one runs. */
export function nodePrograms({ images, load }: NodeProgramsDeps): ContainerPrograms {
  let loading: Promise<LoadedNode> | undefined
  let loaded: LoadedNode | undefined
  const ready = () => {
    loading ??= load().then((node) => {
      loaded = node
      return node
    })
    return loading
  }
  return {
    ...knownPrograms(images),
    open: async (container) => (await ready()).engine.open(container),
    networkAt: (ip, port, all) => loaded?.networkAt(ip, port, all),
    forward: async (ips, port, connection) => (await loaded?.forward(ips, port, connection)) ?? false,
    networkGone: (ips) => loaded?.networkGone(ips),
    podFiles: (uid) => loaded?.engine.podFiles(uid),
    readFile: (uid, volume, path) => loaded?.engine.readFile(uid, volume, path),
    podChanged: (uid) => loaded?.engine.podChanged(uid),
    podGone: (uid) => loaded?.engine.podGone(uid),
  }
}
