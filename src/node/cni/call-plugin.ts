import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { quietErrors } from '../../base/quiet.ts'
import { tryParseJson } from '../../machinery/json/try-parse-json.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { CniError } from './cni-error.ts'

export type CniCommand = 'ADD' | 'CHECK' | 'DEL' | 'GC' | 'STATUS'

export interface PluginCall {
  readonly command: CniCommand
  /** Its program's name. */
  readonly type: string
  /** The folders with programs. */
  readonly path: readonly string[]
  readonly config: JsonObject
  /** Absent for `GC` and `STATUS`. */
  readonly container?: { readonly id: string; readonly namespace: string; readonly ifName: string; readonly args: string }
}

/** A plugin that hangs is killed. */
const TIMEOUT_MS = 60_000
/** What a plugin prints at most. */
const MOST_BYTES = 1 << 20

/** Calls the program of a plugin. Resolves with what it prints: an object for `ADD`, else nothing. @throws {CniError} */
export async function callPlugin(call: PluginCall, signal: AbortSignal): Promise<JsonObject | undefined> {
  const { command, type, container } = call
  const program = call.path.map((folder) => path.join(folder, type)).find((file) => existsSync(file))
  if (program === undefined) throw new CniError('plugin', `failed to find plugin "${type}" in path [${call.path.join(' ')}]`)
  const environment = {
    PATH: process.env.PATH ?? '',
    CNI_COMMAND: command,
    CNI_PATH: call.path.join(':'),
    ...(container !== undefined && {
      CNI_CONTAINERID: container.id,
      CNI_NETNS: container.namespace,
      CNI_IFNAME: container.ifName,
      CNI_ARGS: container.args,
    }),
  }
  const { out, err, end } = await run(program, { environment, input: JSON.stringify(call.config) }, signal)
  if (end !== undefined) throw new CniError('plugin', faultOf(out, err, end))
  return command === 'ADD' ? resultOf(out) : undefined
}

interface Ended {
  readonly out: string
  readonly err: string
  /** How it failed. */
  readonly end: string | undefined
}

async function run(
  program: string,
  given: { readonly environment: NodeJS.ProcessEnv; readonly input: string },
  signal: AbortSignal,
): Promise<Ended> {
  const child = spawn(program, [], { env: given.environment, signal, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' })
  const texts = { out: '', err: '' }
  const keep = (name: 'out' | 'err') => (text: string) => {
    texts[name] += text
    if (texts[name].length > MOST_BYTES) child.kill('SIGKILL')
  }
  child.stdout.setEncoding('utf8').on('data', keep('out'))
  child.stderr.setEncoding('utf8').on('data', keep('err'))
  quietErrors(child.stdin, 'it may end without reading')
  child.stdin.end(given.input)
  const [code, killed] = await once(child, 'close')
  return {
    ...texts,
    end: killed !== null ? `signal: ${killed === 'SIGKILL' ? 'killed' : killed}` : code === 0 ? undefined : `exit status ${code}`,
  }
}

/** The error object that a plugin prints, or what is there instead. */
function faultOf(out: string, err: string, end: string): string {
  if (out === '') return err === '' ? `netplugin failed with no error message: ${end}` : `netplugin failed: ${JSON.stringify(err)}`
  const error = tryParseJson(out)
  if (!isObject(error)) return `netplugin failed but error parsing its diagnostic message ${JSON.stringify(out)}`
  const { msg = '', details = '' } = error
  return details === '' ? String(msg) : `${msg}; ${details}`
}

function resultOf(out: string): JsonObject {
  const result = tryParseJson(out)
  if (!isObject(result)) throw new CniError('plugin', `failed to unmarshal raw result: ${JSON.stringify(out.slice(0, 100))}`)
  return result as JsonObject
}
