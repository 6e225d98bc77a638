import type { Session } from 'node:inspector'

export interface WorkerProfiles {
  start(): void
  /** Calls `done` with the profile of each worker thread, by the thread's name. */
  stop(done: (name: string, profile: object) => void): void
}

/** CPU profiles of the worker threads, by the inspector session of the main thread. */
export function profileWorkers(session: Session): WorkerProfiles {
  const names = new Map<string, string>()
  let write: (name: string, profile: object) => void = () => {}
  let id = 0
  const post = (sessionId: string, method: string, params: object = {}) =>
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id: ++id, method, params }) })
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => names.set(sessionId, workerInfo.title))
  session.on('NodeWorker.detachedFromWorker', ({ params: { sessionId } }) => names.delete(sessionId))
  session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
    const { result } = JSON.parse(message) as { readonly result?: { readonly profile?: object } }
    if (result?.profile !== undefined) write(nameOf(names.get(sessionId) ?? sessionId), result.profile)
  })
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  return {
    start() {
      for (const worker of names.keys()) {
        post(worker, 'Profiler.enable')
        post(worker, 'Profiler.setSamplingInterval', { interval: 500 })
        post(worker, 'Profiler.start')
      }
    },
    stop(done) {
      write = done
      for (const worker of names.keys()) post(worker, 'Profiler.stop')
    },
  }
}

/** The title is like `[worker 2] nodes`. */
const nameOf = (title: string) => title.replaceAll(/[^\w-]+/g, '-').replace(/^-/, '')
