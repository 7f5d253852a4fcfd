// The types of the API, for the modules of the site. `schema` is made from docs/openapi.json, in
// infra/scripts/site. Nothing of this reaches a browser.

import type { components, paths } from "schema";

export type Schemas = components["schemas"];

/** Whether a part of a path is the one of the document: equal, or a value for a parameter. */
type Part<Doc extends string, Given extends string> = Doc extends `{${string}}`
  ? (Given extends "" ? false : true)
  : Doc extends Given ? (Given extends Doc ? true : false) : false;
type Fits<Doc extends string, Given extends string> = Doc extends `${infer D}/${infer DocRest}`
  ? Given extends `${infer G}/${infer GivenRest}`
    ? Part<D, G> extends true ? Fits<DocRest, GivenRest> : false
    : false
  : Given extends `${string}/${string}` ? false : Part<Doc, Given>;
type Bare<Given extends string> = Given extends `${infer Path}?${string}` ? Path : Given;
type Verb<Method extends string> = Lowercase<Method>;
type Of<Given extends string> = {
  [Doc in keyof paths & string]: Fits<Doc, `/api${Bare<Given>}`> extends true ? paths[Doc] : never;
}[keyof paths & string];
type Operation<Method extends string, Given extends string> =
  Of<Given> extends infer Found ? (Found extends Record<Verb<Method>, infer One> ? NonNullable<One> : never) : never;
type Content<Body> = Body extends { content: infer Types }
  ? Types extends { "application/json": infer Json } ? Json : string
  : null;
type Answers<One> = One extends { responses: infer Codes }
  ? Content<Codes[keyof Codes & (200 | 201 | 204)]>
  : never;

/** A path that the document has for this method; no other one is taken. */
export type Address<Method extends string, Given extends string> = Given extends unknown
  ? string extends Given ? never
    : Given extends "" ? Given
    : [Operation<Method, Given>] extends [never] ? never : Given
  : never;

/** The path of an application, and of a submission to it. */
export type OfApplication = `/clubs/${string}/applications/${string}/`;
/** The path of a showing for officers. */
export type OfShowing = `/clubs/${string}/events/${string}/showings/${string}/`;
export type OfSubmission = `${OfApplication}submissions/${string}/`;
/** A list that admins keep. */
export type Lookups = "/tags/" | "/badges/" | "/schools/" | "/majors/" | "/years/" | "/clubfairs/";
/** What can be changed and deleted where it stands. */
export type OfEntity =
  | OfShowing
  | `/clubs/${string}/members/${string}/`
  | `${OfApplication}questions/${string}/`
  | `/tags/${string}/` | `/badges/${string}/` | `/schools/${string}/` | `/majors/${string}/`
  | `/years/${string}/` | `/clubfairs/${string}/`;

/** What a request answers. */
export type Reply<Method extends string, Given extends string> = Given extends unknown
  ? string extends Given ? { "address is not known": Given }
    : [Operation<Method, Given>] extends [never] ? { "no such operation": [Method, Given] }
    : Answers<Operation<Method, Given>>
  : never;

/** What a request sends. */
export type Sent<Method extends string, Given extends string> = Given extends unknown
  ? string extends Given ? never
    : Operation<Method, Given> extends { requestBody?: { content: infer Types } }
      ? Types extends { "application/json": infer Json } ? Json : never
      : any
  : never;
