import { withoutTrailing } from '../../base/without-trailing.ts'
import type { NetworkNode } from '../network/cluster-network.ts'
import { dialledNetwork } from '../network/dialled-network.ts'
import { type FileTree, fileTree, type RegularFile, regularFile } from '../volumes/file-tree.ts'
import type { PersistentTrees } from '../volumes/persistent-trees.ts'
import { VOLUME_BYTES } from '../volumes/pod-volumes.ts'
import { Engine, type EngineDeps } from './engine.ts'
import { joinStreams } from './join-streams.ts'
import type { LoadedNode } from './node-programs.ts'

/** What a node's programs are loaded with. */
export interface LoadNode extends EngineDeps {
  readonly node: NetworkNode
  /** Folders of this machine that replace folders of the node, by the node's path. */
  readonly folders: ReadonlyMap<string, string>
  /** Of the whole cluster. */
  readonly persistent: PersistentTrees
}

/** A node whose containers can have programs. */
export function loadNode(init: LoadNode): LoadedNode {
  const { node, network, clock, folders, persistent, budget } = init
  const hostPaths = new Map<string, FileTree>()
  const treeOf = (trees: Map<string, FileTree>, key: string) => {
    const tree = trees.get(key) ?? fileTree(VOLUME_BYTES, { mode: 0o777, mtimeMs: clock.now() }, budget)
    trees.set(key, tree)
    return tree
  }
  const files = nodeFiles(node, clock.now())
  const shared = {
    hostPath: (path: string) => treeOf(hostPaths, withoutTrailing(path, '/')),
    hostFile: ({ path, type = '' }: { readonly path: string; readonly type?: string }) => {
      const known = files.get(path)
      if (known !== undefined || (type !== 'File' && type !== 'FileOrCreate')) return known
      const made = regularFile(new Uint8Array(), { mtimeMs: clock.now() })
      files.set(path, made)
      return made
    },
    persistent: (name: string) => persistent.of(name, clock.now()),
  }
  const engine = new Engine(init, { name: node.name, ip: node.ip, shared, folders })
  const probes = dialledNetwork((host, port, signal) => network.dial({ kind: 'node', ip: node.ip }, host, port, signal), clock)
  return {
    engine,
    networkAt: (ip, port, all) => (all || network.stackAt(ip)?.has(ip, port) ? probes : undefined),
    async forward(ips, port, connection) {
      const stack = network.stackAt(ips[0] ?? node.ip)
      if (stack === undefined || stack.silent) return false
      const near = stack.accept('127.0.0.1', port, { address: '127.0.0.1', port: stack.ephemeral() })
      if (near === undefined) throw new Error(`dial tcp4 127.0.0.1:${port}: connect: connection refused`)
      await joinStreams(connection, near)
      return true
    },
    networkGone(ips) {
      const stack = ips[0] === undefined ? undefined : network.stackAt(ips[0])
      if (stack !== undefined) network.close(stack)
    },
  }
}

/** Files that every machine has and that pods mount one by one. */
function nodeFiles({ name, ip }: NetworkNode, nowMs: number): Map<string, RegularFile> {
  const texts = {
    '/etc/hosts': `127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n${ip}\t${name}\n`,
    '/etc/hostname': `${name}\n`,
    '/etc/resolv.conf': 'nameserver 127.0.0.53\n',
    '/etc/os-release': 'NAME="Bowsprit"\nID=bowsprit\nPRETTY_NAME="Bowsprit (simulated)"\n',
  }
  return new Map(Object.entries(texts).map(([path, text]) => [path, regularFile(Buffer.from(text), { mtimeMs: nowMs })]))
}
