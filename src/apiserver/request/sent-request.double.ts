import { parseQuery } from './query.ts'
import { readRequest } from './read-request.ts'
import { Request } from './request.ts'
import { NO_BODY } from './request-body.ts'

interface SentHeaders {
  readonly method?: string
  readonly userAgent?: string
  readonly auditId?: string
}

/** A request over a socket, before it is authenticated. */
export class SentRequest extends Request {
  readonly body = NO_BODY
  readonly sourceIPs: readonly string[] = []
  readonly signal = new AbortController().signal
  readonly url: string
  readonly userAgent: string
  readonly auditId: string | undefined

  constructor(url: string, { method = 'GET', userAgent = 'test/1', auditId }: SentHeaders = {}) {
    const [path = '', search = ''] = url.split('?')
    const query = parseQuery(search)
    super(readRequest(method, path, query), query)
    this.url = url
    this.userAgent = userAgent
    this.auditId = auditId
  }

  warn(): void {}
}
