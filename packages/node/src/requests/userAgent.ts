/** Replaced with the package's version by the build. */
declare const PACKAGE_VERSION: string | undefined

const version = typeof PACKAGE_VERSION === 'undefined' ? '0.0.0' : PACKAGE_VERSION

/** `User-Agent` of every request (RFC 9110, section 10.1.5): firewalls reject requests without it. */
export const userAgent = `payment-intents-node/${version}`
