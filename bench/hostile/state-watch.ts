import type { Api } from '../api.ts'
import { collectionOf } from './steady-clients.ts'

/** What a watch of config maps has seen: the value of each by its path. */
export interface StateWatch {
  readonly values: ReadonlyMap<string, string>
  /** Whether the server has ended it. */
  readonly ended: boolean
}

interface ConfigMapEvent {
  readonly type: string
  readonly object: { readonly metadata: { readonly name: string }; readonly data?: { readonly value?: string } }
}

export function watchState(api: Api, namespace: string): StateWatch {
  const collection = collectionOf(namespace)
  const values = new Map<string, string>()
  const state = { values, ended: false }
  let rest = ''
  const onData = (bytes: Buffer) => {
    const lines = (rest + bytes.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const { type, object } = JSON.parse(line) as ConfigMapEvent
      const value = object.data?.value
      if (type === 'DELETED') values.delete(`${collection}/${object.metadata.name}`)
      else if (value !== undefined) values.set(`${collection}/${object.metadata.name}`, value)
    }
  }
  api.stream(`${collection}?watch=1&resourceVersion=0`, onData, () => {
    state.ended = true
  })
  return state
}
