import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { hasCode } from '../../base/has-code.ts'
import { replaceFile } from '../../base/replace-file.ts'
import { goJsonFault } from '../../machinery/go/go-json-fault.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'

/** One checkpoint. Whenever the process is killed, it has either the old text or the new one. */
export interface CheckpointFile {
  /** The path for error messages. */
  readonly path: string
  /** Undefined: it does not exist yet. */
  read(): string | undefined
  write(text: string): void
}

/** The state of a previous agent prevents the node's start; the message is the kubelet's. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError'
  readonly code = 'bad-checkpoint'
}

/** Parses a checkpoint to an object, whose fields are not checked yet. @throws {CheckpointError} with the message of Go's decoder */
export function parseCheckpoint(text: string, goType: string): JsonObject {
  const fault = goJsonFault(text, goType)
  if (fault !== undefined) throw new CheckpointError(fault)
  const value: unknown = JSON.parse(text)
  if (!isObject(value)) throw corrupted()
  return value
}

/** The file was changed or truncated. */
export const corrupted = (): CheckpointError => new CheckpointError('checkpoint is corrupted')

/** Why the file of a manager (`CPU`, `memory`) cannot be used, and what to do about it. */
export const unusable = (manager: string, path: string, why: string): CheckpointError =>
  new CheckpointError(
    `could not restore state from checkpoint: ${why}, please drain this node and delete the ${manager} manager checkpoint file ${JSON.stringify(path)} before restarting Kubelet`,
  )

/** A checkpoint in memory, for nodes that do not persist their state. */
export function memoryCheckpoint(path: string): CheckpointFile {
  let text: string | undefined
  return {
    path,
    read: () => text,
    write: (next) => {
      text = next
    },
  }
}

/** A checkpoint in a file; its folder is created on the first write. */
export function fileCheckpoint(file: string): CheckpointFile {
  return {
    path: file,
    read() {
      try {
        return readFileSync(file, 'utf8')
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return undefined
        throw error
      }
    },
    write(text) {
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
      replaceFile(file, text)
    },
  }
}
