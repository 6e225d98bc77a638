import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import type { Action, Review } from '../../apiserver/extension-points.ts'
import type { Authenticator } from '../../apiserver/identity/authenticator.ts'
import type { Clock } from '../../base/clock.ts'
import type { ServerOptions } from '../options/server-options.ts'
import { clientCertificateAuthenticator } from './authenticators/client-certificate.ts'
import { frontProxyAuthenticator } from './authenticators/front-proxy.ts'
import { SERVICE_ACCOUNT_ISSUER, serviceAccountTokenAuthenticator, tokenSigner } from './authenticators/service-account-tokens.ts'
import { staticTokenAuthenticator } from './authenticators/static-tokens.ts'
import type { Authorization } from './authorizers/open-authorization.ts'
import { createAuthenticator } from './create-authenticator.ts'
import { openIdPages } from './openid-pages.ts'
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './reviews/access-review.ts'
import { selfSubjectReview, tokenReview } from './reviews/identity-review.ts'
import { selfSubjectRulesReview } from './reviews/rules-review.ts'
import { tokenRequest } from './reviews/token-request.ts'

/** What identity needs of the server's options. */
export type AuthConfig = Pick<ServerOptions, 'authentication' | 'serviceAccounts' | 'aggregation'>

/** Who it is: everything that `createServer` wants to know of identity. */
export interface Auth {
  readonly authenticator: Authenticator
  /** For `ServerDeps.reviews`, by the plural of the resource. */
  readonly reviews: Readonly<Record<string, Review>>
  /** For `ServerDeps.pages`. */
  readonly pages: ReturnType<typeof openIdPages>
  /** For `ServerDeps.actions`. */
  readonly actions: Readonly<Record<string, Action>>
}

/** Upstream's defaults: client certificates, front proxy, tokens and anonymous. */
export function createAuth(
  config: AuthConfig,
  deps: {
    readonly watchCache: Pick<WatchCache, 'reader' | 'onChange'>
    readonly clock: Clock
    readonly authorization: Pick<Authorization, 'rules'>
  },
): Auth {
  const { watchCache, clock } = deps
  const { authentication, aggregation } = config
  const keys = { privateKey: config.serviceAccounts.signingKey, publicKeys: config.serviceAccounts.publicKeys }
  const authenticator = createAuthenticator({
    requests: [frontProxyAuthenticator({ allowedNames: aggregation.frontProxy?.allowedNames ?? [] }), clientCertificateAuthenticator()],
    tokens: [
      ...(authentication.tokens === undefined ? [] : [staticTokenAuthenticator(authentication.tokens, [SERVICE_ACCOUNT_ISSUER])]),
      serviceAccountTokenAuthenticator(keys, { clock, reader: watchCache.reader }),
    ],
    audiences: [SERVICE_ACCOUNT_ISSUER],
    anonymous: authentication.anonymous,
  })
  return {
    authenticator,
    reviews: {
      subjectaccessreviews: subjectAccessReview,
      localsubjectaccessreviews: localSubjectAccessReview,
      selfsubjectaccessreviews: selfSubjectAccessReview,
      selfsubjectrulesreviews: selfSubjectRulesReview(deps.authorization.rules),
      selfsubjectreviews: selfSubjectReview,
      tokenreviews: tokenReview(authenticator.tokens),
    },
    pages: openIdPages(keys.publicKeys),
    actions: { 'serviceaccounts/token': tokenRequest(tokenSigner(keys)) },
  }
}
