import { pipelineOf } from '../pipeline/pipeline.ts'
import type { HttpRequest } from './http-request.ts'
import type { HttpServer } from './http-server.ts'
import { authenticate } from './steps/authenticate.ts'
import { impersonate } from './steps/impersonate.ts'
import { limitTime } from './steps/limit-time.ts'
import { matchMediaTypes } from './steps/match-media-types.ts'
import { negotiateFormat } from './steps/negotiate-format.ts'
import { takeSeat } from './steps/take-seat.ts'

/** The pipeline of requests from sockets, with all steps. */
export const HTTP_PIPELINE = pipelineOf<HttpServer, HttpRequest>({
  identify: [limitTime, authenticate],
  admitToFlow: [impersonate, takeSeat],
  matchTypes: [matchMediaTypes],
  negotiate: [negotiateFormat],
})
