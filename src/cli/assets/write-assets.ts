import { chmodSync, cpSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeFolder } from '../../base/make-folder.ts'
import { etcdHelp } from '../../etcd/flags.ts'
import { IN_CHECKOUT } from '../in-checkout.ts'
import { apiServerHelp } from '../kube-apiserver/help.ts'
import { kubectlScript, programScript } from './scripts.ts'

export interface AssetsConfig {
  readonly folder: string
  /** The target of the kubectl link; undefined: the one on the PATH, looked up when it is used. */
  readonly kubectl: string | undefined
}

/** Why the assets cannot be written; the message says what to do instead. */
export class AssetsError extends Error {
  override readonly name = 'AssetsError'
  readonly code: 'not-writable' | 'no-kubectl' | 'no-shell' | 'not-ours'
  constructor(code: AssetsError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Where the code is copied to, so that the folder can be moved, cached and copied into an image. */
const LIB = 'bowsprit'
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning']
/** A larger young generation for the allocations of a start: without it, it is collected seven times before the server is ready. */
const SERVER_FLAGS = [...NODE_FLAGS, '--min-semi-space-size=16']
/** The folder of compiled code, below `LIB`: it is moved with the assets, and read-only if they are. */
const CACHE = 'compiled'

/** Writes `etcd`, `kube-apiserver` and `kubectl`, in place of those of an earlier call. Returns the folder's full path. */
export function writeAssets({ folder, kubectl }: AssetsConfig): string {
  if (process.platform === 'win32') throw new AssetsError('no-shell', 'the programs are shell scripts; run them in WSL')
  if (kubectl !== undefined && !existsSync(kubectl)) throw new AssetsError('no-kubectl', `--kubectl: there is no file ${kubectl}`)
  const to = path.resolve(folder)
  try {
    makeFolder(to)
    const programs = copyPrograms(to)
    const script = (name: string, program: string, nodeFlags: readonly string[], help: string) =>
      write(
        path.join(to, name),
        programScript({ node: process.execPath, nodeFlags, program, cache: IN_CHECKOUT ? undefined : CACHE, help }),
      )
    script('etcd', programs.etcd, NODE_FLAGS, etcdHelp())
    script('kube-apiserver', programs.apiServer, SERVER_FLAGS, apiServerHelp('kube-apiserver'))
    if (kubectl === undefined) write(path.join(to, 'kubectl'), kubectlScript())
    else {
      rmSync(path.join(to, 'kubectl'), { force: true })
      symlinkSync(path.resolve(kubectl), path.join(to, 'kubectl'))
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EACCES' && code !== 'EROFS' && code !== 'EPERM' && code !== 'ENOTDIR' && code !== 'EEXIST') throw error
    throw new AssetsError('not-writable', `the folder ${to} cannot be written (${code}): choose another`, { cause: error })
  }
  return to
}

/** A running shell script is read while it runs: so the new one is a new file. */
function write(file: string, text: string): void {
  rmSync(file, { force: true })
  writeFileSync(file, text)
  chmodSync(file, 0o755)
}

/** The code of both programs: a copy of the published files, or the sources in a checkout. */
function copyPrograms(to: string): { readonly etcd: string; readonly apiServer: string } {
  const here = path.dirname(fileURLToPath(import.meta.url))
  if (IN_CHECKOUT)
    return { etcd: path.join(here, '..', '..', 'etcd', 'main.ts'), apiServer: path.join(here, '..', 'kube-apiserver', 'main.ts') }
  const lib = path.join(to, LIB)
  rmSync(lib, { recursive: true, force: true })
  cpSync(path.join(here, 'envtest'), lib, { recursive: true })
  cpSync(path.join(here, 'generated'), path.join(lib, 'generated'), { recursive: true })
  writeFileSync(path.join(lib, 'package.json'), '{ "type": "module" }\n')
  return { etcd: `${LIB}/etcd.js`, apiServer: `${LIB}/kube-apiserver.js` }
}
