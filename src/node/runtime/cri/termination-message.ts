import { open } from 'node:fs/promises'
import { messageOf } from '../../../base/message-of.ts'
import { MOST_MESSAGE_BYTES } from '../termination-message.ts'
import type { StatusMessage } from './api/container.ts'

/** Annotations of a container that say where its last words are, as the kubelet writes them. */
export const TERMINATION_PATH = 'io.kubernetes.container.terminationMessagePath'

/** What a container wrote as its termination message; undefined: nothing. */
export async function terminationMessage({ annotations, mounts }: StatusMessage): Promise<string | undefined> {
  const path = annotations.get(TERMINATION_PATH)
  const hostPath = mounts.find((m) => m.containerPath === path)?.hostPath
  if (hostPath === undefined) return undefined
  try {
    return (await endOf(hostPath)) || undefined
  } catch (error) {
    return `Error on reading termination log ${hostPath}: ${messageOf(error)}`
  }
}

async function endOf(path: string): Promise<string> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  const length = Math.min(size, MOST_MESSAGE_BYTES)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
  return buffer.toString('utf8', 0, bytesRead)
}
