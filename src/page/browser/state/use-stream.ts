import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { ServerMessage } from '../../wire/messages.ts'
import { openStream, type Request, type Stream } from './connection.ts'

/** The latest message about a request, while the component is shown; another request replaces the one before. */
export function useStream(request: Request | undefined): Signal<ServerMessage | undefined> {
  const latest = useSignal<ServerMessage | undefined>(undefined)
  const stream = useRef<Stream>(undefined)
  const text = JSON.stringify(request)
  // Not `useEffect`, which waits for the next picture: a filter would be sent a frame later.
  useLayoutEffect(() => {
    if (request === undefined) {
      stream.current?.end()
      stream.current = undefined
      latest.value = undefined
    } else if (stream.current === undefined) {
      stream.current = openStream(request, (message) => {
        latest.value = message
      })
    } else stream.current.ask(request)
  }, [text])
  useEffect(() => () => stream.current?.end(), [])
  return latest
}
