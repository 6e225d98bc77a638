import type { ComponentChildren } from 'preact'
import type { ServerMessage } from '../../wire/messages.ts'
import { Notice, ViewNotice } from './notice.tsx'

type MessageOf<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>

interface AnswerProps<T extends ServerMessage['type']> {
  readonly message: ServerMessage | undefined
  /** The type of message that is shown. */
  readonly type: T
  /** Shown until it is there. */
  readonly waiting: string
  /** The heading, where the answer is a whole view. */
  readonly title?: string
  readonly children: (message: MessageOf<T>) => ComponentChildren
}

/** What the server answers; until then, or instead, why there is nothing to see. */
export function Answer<T extends ServerMessage['type']>({ message, type, waiting, title, children }: AnswerProps<T>) {
  if (isOf(message, type)) return <>{children(message)}</>
  const notice = message?.type === 'error' ? ({ kind: 'problem', children: message.message } as const) : WAITING(waiting)
  return title === undefined ? <Notice {...notice} /> : <ViewNotice title={title} {...notice} />
}

const WAITING = (children: string) => ({ kind: 'info', children }) as const

const isOf = <T extends ServerMessage['type']>(message: ServerMessage | undefined, type: T): message is MessageOf<T> =>
  message?.type === type
