// static/vendor/codemirror.js, which is loaded with the first editor: its own types are not shipped.
declare const library: any;
export = library;
