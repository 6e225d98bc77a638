import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { messageOf } from '../../../base/message-of.ts'
import type { ShippedProcess } from '../shipped/shipped-process.ts'
import { filesBeside } from './files-beside.ts'
import { findProgram } from './find-program.ts'
import { hostEntries, withoutLinks } from './host-entries.ts'
import { findIsolation, type Isolation, inNamespaces, withParent } from './isolation.ts'
import { launch, type MachineProcess } from './launch.ts'
import { openApiPort, publishPorts } from './machine-network.ts'
import { type ProcessImage, wordsOf } from './process-image.ts'
import { messageFile, ProcessVolumes } from './process-volumes.ts'
import { type Bind, planRoot } from './root-plan.ts'
import { rootScript } from './root-script.ts'

/** As a shell reports a program that is not there. */
const NOT_FOUND = 127
/** The longest termination message, in bytes. */
const MOST_MESSAGE = 4096
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
}

/** Runs containers as processes of this machine. */
export class MachineProcesses {
  #isolation: Promise<Isolation> | undefined

  /** The main program of a container, to its end. */
  async run(image: ProcessImage, container: ShippedProcess): Promise<number> {
    const [word = '', ...first] = wordsOf(image)
    const program = findProgram(word)
    if (program === undefined) return refuse(container, `exec: ${JSON.stringify(word)}: no such program on this machine`)
    this.#isolation ??= findIsolation()
    const isolation = await this.#isolation
    const folder = mkdtempSync(path.join(withoutLinks(os.tmpdir()), `bowsprit-process-${process.pid}-`))
    container.hold(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 10 }))
    const volumes = await new ProcessVolumes(container, path.join(folder, 'volumes')).open()
    const message = await messageFile(path.join(folder, 'termination-log'), container.messagePath)
    const start: Start = {
      program,
      args: [...first, ...container.args],
      environment: { ...environmentOf(image, container), ...(await openApiPort(container)) },
      binds: [...volumes, message],
      folder,
    }
    const { pid, exit } = isolation === 'namespaces' ? await startApart(start, container) : await startBeside(start, container, isolation)
    publishPorts(container, pid).catch((error) => container.stderr.write(`bowsprit: ${messageOf(error)}\n`))
    const code = await exit
    await keepMessage(message.source, container)
    return code
  }
}

async function refuse(container: ShippedProcess, why: string): Promise<number> {
  await container.stderr.write(`${why}\n`)
  return NOT_FOUND
}

function environmentOf(image: ProcessImage, { environment }: ShippedProcess): Readonly<Record<string, string>> {
  const allowed = Object.entries(environment).filter(([name]) => !LOADER_VARIABLES.test(name) || image.environment?.[name] !== undefined)
  return Object.fromEntries(allowed)
}

/** Where the kernel allows it: volumes are where the manifest mounts them, and nothing survives the first process. */
async function startApart({ program, args, environment, binds, folder }: Start, container: ShippedProcess): Promise<MachineProcess> {
  const root = path.join(folder, 'root')
  await mkdir(root)
  const words = ['env', '-i', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`), program, ...args]
  const { workingDir, facts } = container
  const script = rootScript({ root, steps: planRoot(binds, hostEntries), workingDir, ...facts.user, words })
  // Not in the words of a process, which every user of the machine can read: the environment may hold secrets.
  const file = path.join(folder, 'start')
  await writeFile(file, script, { mode: 0o600 })
  return launch(inNamespaces(file), { environment: { PATH: process.env.PATH ?? '' }, workingDir: '/', apart: true }, container)
}

/** Where it does not: the process finds the API server by a kubeconfig, and its volumes below `BOWSPRIT_ROOT`. */
async function startBeside(
  { program, args, environment, binds, folder }: Start,
  container: ShippedProcess,
  isolation: Exclude<Isolation, 'namespaces'>,
): Promise<MachineProcess> {
  const words = [program, ...args]
  const { workingDir } = container
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = environment
  const found = { ...(await filesBeside(binds, folder, { host, port })), ...environment }
  return launch(isolation === 'parent' ? withParent(words) : words, { environment: found, workingDir, apart: false }, container)
}

async function keepMessage(file: string, { fileSystem, messagePath }: ShippedProcess): Promise<void> {
  const message = await readFile(file).catch(() => undefined)
  if (message !== undefined && message.length > 0) fileSystem.write(messagePath, message.subarray(0, MOST_MESSAGE))
}
