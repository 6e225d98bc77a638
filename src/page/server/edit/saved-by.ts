import { messageOf } from '../../../base/message-of.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import type { Saved } from '../../wire/draft-page.ts'
import { shownText } from '../../wire/shown-text.ts'

/** What came of a write: it calls `sending` before its request, and resolves with the text that is stored. */
export async function savedBy(write: (sending: () => void) => Promise<string>): Promise<Saved> {
  let isSent = false
  const sending = () => {
    isSent = true
  }
  try {
    return { outcome: 'stored', message: '', text: await write(sending) }
  } catch (error) {
    return { outcome: isSent && hasNoResponse(error) ? 'unknown' : 'refused', message: shownText(messageOf(error)), text: '' }
  }
}

/** The connection broke, or time ran out: the server may have stored what was sent, or may do so. */
const hasNoResponse = (error: unknown): boolean =>
  !isStatus(error) || error.code === 504 || (error.code === 503 && error.cause !== undefined)
