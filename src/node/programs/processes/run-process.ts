import { existsSync, statSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { messageOf } from '../../../base/message-of.ts'
import { quiet } from '../../../base/quiet.ts'
import { namespacePathOf } from '../../cni/network-namespace.ts'
import { MOST_MESSAGE_BYTES } from '../../runtime/termination-message.ts'
import type { ShippedProcess } from '../shipped/shipped-process.ts'
import { filesBeside } from './files-beside.ts'
import { findProgram } from './find-program.ts'
import { hostEntries, withoutLinks } from './host-entries.ts'
import { findIsolation, type Isolation, inNamespaces, inNetwork, withParent } from './isolation.ts'
import { launch, type MachineProcess } from './launch.ts'
import { openApiPort, publishPorts } from './machine-network.ts'
import { OwnFolders, removeFolder } from './own-folders.ts'
import { nameOf, type ProcessImage, wordsOf } from './process-image.ts'
import { messageFile, ProcessVolumes } from './process-volumes.ts'
import { type Bind, planRoot } from './root-plan.ts'
import { rootScript } from './root-script.ts'

/** As a shell reports a program that is not there. */
const NOT_FOUND = 127
/** What the loader of programs obeys: with these a pod's manifest could bring code of its own into any program. */
const LOADER_VARIABLES = /^(LD_|DYLD_|GCONV_PATH$)/

/** What a process is started with. */
interface Start {
  readonly program: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly binds: readonly Bind[]
  /** A folder of its own on this machine. */
  readonly folder: string
  /** Absolute, without `..`. */
  readonly workingDir: string
  /** The path of the pod's network namespace. Undefined: it is in the machine's network. */
  readonly network: string | undefined
}

/** Runs programs of containers as processes of this machine. */
export class MachineProcesses {
  readonly #folders = new OwnFolders()
  #isolation: Promise<Isolation> | undefined

  /** The main program of a container, to its end. */
  async runMain(image: ProcessImage, container: ShippedProcess): Promise<number> {
    const opened = await this.#open(image, container)
    if (opened === undefined) return refuse(container, wordsOf(image)[0] ?? '')
    const { start, volumes, isolation } = opened
    const message = await messageFile(path.join(start.folder, 'termination-log'), container.messagePath)
    const { pid, exit } = await begin({ ...start, binds: [...start.binds, message] }, container, isolation)
    publishPorts(container, pid, start.network === undefined ? 'localhost' : container.facts.ips[0]).catch((error) =>
      container.stderr.write(`bowsprit: ${messageOf(error)}\n`),
    )
    const code = await exit
    await keepMessage(message.source, container)
    await volumes.takeBack()
    return code
  }

  /** The program once more in the same container, for `kubectl exec` and probes; there are no other commands. */
  async runCommand(image: ProcessImage, container: ShippedProcess): Promise<number> {
    const [word = ''] = container.argv
    const opened = path.basename(word) === nameOf(image) ? await this.#open(image, container) : undefined
    if (opened === undefined) return refuse(container, word)
    const { exit } = await begin(opened.start, container, opened.isolation)
    return exit
  }

  /** Undefined: there is no such program. */
  async #open(image: ProcessImage, container: ShippedProcess): Promise<Opened | undefined> {
    const [word = '', ...first] = wordsOf(image)
    const program = findProgram(word)
    if (program === undefined) return undefined
    this.#isolation ??= findIsolation()
    const isolation = await this.#isolation
    const folder = this.#folders.make()
    container.hold(() => removeFolder(folder))
    const workingDir = path.resolve('/', container.workingDir)
    // In a volume, if one is there; no other file system in memory is seen by the process.
    await quiet(
      Promise.try(() => container.fileSystem.makeDirectory(workingDir, { recursive: true })),
      'the volume may be read-only',
    )
    const volumes = new ProcessVolumes(container, path.join(folder, 'volumes'))
    const args = [...first, ...container.args]
    const network = networkOf(container)
    const environment = { ...environmentOf(image, container), ...(await openApiPort(container, network)) }
    return { start: { program, args, environment, binds: await volumes.open(), folder, workingDir, network }, volumes, isolation }
  }
}

interface Opened {
  readonly start: Start
  readonly volumes: ProcessVolumes
  readonly isolation: Isolation
}

const begin = (start: Start, container: ShippedProcess, isolation: Isolation): Promise<MachineProcess> =>
  isolation === 'namespaces' ? startApart(start, container) : startBeside(start, container, isolation)

async function refuse(container: ShippedProcess, word: string): Promise<number> {
  await container.stderr.write(`exec: ${JSON.stringify(word)}: no such program on this machine\n`)
  return NOT_FOUND
}

/** Network plugins have made it, for pods that have one. */
function networkOf({ facts: { pod } }: ShippedProcess): string | undefined {
  const at = namespacePathOf(pod.uid)
  return existsSync(at) ? at : undefined
}

function environmentOf(image: ProcessImage, { environment }: ShippedProcess): Readonly<Record<string, string>> {
  const allowed = Object.entries(environment).filter(([name]) => !LOADER_VARIABLES.test(name) || image.environment?.[name] !== undefined)
  return Object.fromEntries(allowed)
}

/** Where the kernel allows it: volumes are where the manifest mounts them, and nothing survives the first process. */
async function startApart({ program, args, environment, binds, folder, workingDir, network }: Start, container: ShippedProcess) {
  const root = path.join(folder, 'root')
  await mkdir(root)
  const missing = isIn(workingDir, binds) || isFolder(workingDir) ? [] : [await emptyFolder(path.join(folder, 'work'), workingDir)]
  const steps = planRoot([...binds, ...missing], hostEntries)
  const script = rootScript({ root, steps, workingDir, environment, ...container.facts.user, words: [program, ...args] })
  const file = path.join(folder, 'start')
  await writeFile(file, script, { mode: 0o600 })
  return launch(inNamespaces(file, network), { environment: { PATH: process.env.PATH ?? '' }, workingDir: '/', apart: true }, container)
}

/** Where it does not: the process finds the API server by a kubeconfig, and its volumes below `BOWSPRIT_ROOT`. */
async function startBeside(
  { program, args, environment, binds, folder, workingDir, network }: Start,
  container: ShippedProcess,
  isolation: Exclude<Isolation, 'namespaces'>,
): Promise<MachineProcess> {
  const words = inNetwork(network, [program, ...args])
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = environment
  const found = { ...(await filesBeside(binds, folder, { host, port })), ...environment }
  const at = isFolder(workingDir) ? workingDir : (await emptyFolder(path.join(folder, 'work'), workingDir)).source
  return launch(isolation === 'parent' ? withParent(words) : words, { environment: found, workingDir: at, apart: false }, container)
}

/** A working directory that this machine lacks: as in a container it is made, but not in the folders of the machine. */
async function emptyFolder(source: string, at: string): Promise<Bind> {
  await mkdir(source)
  return { source, path: withoutLinks(at), kind: 'directory', readOnly: false }
}

const isIn = (at: string, binds: readonly Bind[]) =>
  binds.some((bind) => withoutLinks(at) === bind.path || withoutLinks(at).startsWith(`${bind.path}/`))
const isFolder = (at: string) => statSync(at, { throwIfNoEntry: false })?.isDirectory() === true

async function keepMessage(file: string, { fileSystem, messagePath }: ShippedProcess): Promise<void> {
  const message = await readFile(file).catch(() => undefined)
  if (message !== undefined && message.length > 0) fileSystem.write(messagePath, message.subarray(-MOST_MESSAGE_BYTES))
}
