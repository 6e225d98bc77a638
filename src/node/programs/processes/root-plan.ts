import path from 'node:path'

/** A file or folder of this machine that a process sees at a path. */
export interface Bind {
  readonly source: string
  /** Absolute, without links. */
  readonly path: string
  readonly kind: 'directory' | 'file'
  readonly readOnly: boolean
}

/** An entry of a folder of this machine. */
export interface HostEntry {
  readonly name: string
  readonly kind: 'directory' | 'file' | 'link'
  /** Of a link: where it leads. */
  readonly target?: string
}

/** A step that makes the root folder of a process; `path` is what the process sees. */
export type RootStep =
  | { readonly do: 'folder'; readonly path: string }
  | { readonly do: 'file'; readonly path: string }
  | { readonly do: 'link'; readonly path: string; readonly target: string }
  | { readonly do: 'bind'; readonly path: string; readonly source: string; readonly readOnly: boolean }
  /** A file or folder of this machine at its own path, if it is still there: other programs remove theirs at any time. */
  | { readonly do: 'keep'; readonly path: string }

interface MountNode {
  bind?: Bind
  readonly below: Map<string, MountNode>
}

/** Folders whose content the kernel or the runtime makes. */
const OWN_FOLDERS: ReadonlySet<string> = new Set(['/proc', '/dev'])

/**
 * Pure. The root folder of a process: what this machine has, with volumes at their paths. A mount point that this machine lacks cannot be
 * made in its folders, so each folder above one is made anew, and its other entries are bound. `entriesOf`: undefined for what is no
 * folder.
 */
export function planRoot(binds: readonly Bind[], entriesOf: (folder: string) => readonly HostEntry[] | undefined): readonly RootStep[] {
  const root: MountNode = { below: new Map() }
  for (const bind of binds) placeAt(root, bind.path).bind = bind
  return layOut(root, '/', entriesOf)
}

function placeAt(root: MountNode, at: string): MountNode {
  let place = root
  for (const name of at.split('/').filter((part) => part !== '')) {
    const next: MountNode = place.below.get(name) ?? { below: new Map() }
    place.below.set(name, next)
    place = next
  }
  return place
}

function layOut(place: MountNode, at: string, entriesOf: (folder: string) => readonly HostEntry[] | undefined): readonly RootStep[] {
  const entries = OWN_FOLDERS.has(at) ? [] : (entriesOf(at) ?? [])
  const others = entries.filter(({ name }) => !place.below.has(name) && !OWN_FOLDERS.has(path.join(at, name)))
  const kept = others.flatMap((entry) => keep(entry, path.join(at, entry.name)))
  const below = [...place.below].flatMap(([name, next]) => {
    const here = path.join(at, name)
    if (next.bind === undefined) return [{ do: 'folder', path: here } as const, ...layOut(next, here, entriesOf)]
    return [...bound(next.bind, here), ...layOut(next, here, () => undefined)]
  })
  return [...kept, ...below]
}

function keep({ kind, target = '' }: HostEntry, at: string): readonly RootStep[] {
  if (kind === 'link') return [{ do: 'link', path: at, target }]
  return [mountPoint(kind, at), { do: 'keep', path: at }]
}

const bound = ({ source, kind, readOnly }: Bind, at: string): readonly RootStep[] => [
  mountPoint(kind, at),
  { do: 'bind', path: at, source, readOnly },
]

const mountPoint = (kind: Bind['kind'], at: string): RootStep => ({ do: kind === 'file' ? 'file' : 'folder', path: at })
