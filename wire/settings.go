package wire

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pggate/pggate/wire/sqlstate"
)

// A Setting is one line of SHOW ALL.
type Setting struct{ Name, Value, Description string }

// The kinds of settings (guc_tables.c: config_bool, config_int, ...).
type settingKind uint8

const (
	kindString settingKind = iota
	kindBool
	kindInt
	kindEnum
)

// The units of integer settings, as SHOW abbreviates them.
type settingUnit uint8

const (
	unitNone   settingUnit = iota
	unitMillis             // ms s min h d
	unitKB                 // kB MB GB TB
)

// A setting describes a run-time parameter.
type setting struct {
	name     string // as PostgreSQL spells it; looked up without regard to case
	kind     settingKind
	unit     settingUnit
	min, max int64    // of kindInt
	values   []string // of kindEnum; the first ones are those a hint lists
	initial  string   // in canonical form
	context  settingContext
	about    string
	check    func(string) (value, error) // of kindString; nil takes everything
}

// Who may change a setting, and when (guc.h: GucContext).
type settingContext uint8

const (
	contextUser        settingContext = iota
	contextInternal                   // "cannot be changed"
	contextPostmaster                 // "cannot be changed without restarting the server"
	contextSighup                     // "cannot be changed now"
	contextSuperuser                  // 42501
	contextTransaction                // lasts until the transaction ends, whoever sets it
)

// A value is a setting's canonical text with what it was parsed to, so that
// the path of a statement parses nothing.
type value struct {
	text string
	num  int64          // kindInt, in its smallest unit; kindBool, 0 or 1
	zone *time.Location // TimeZone
}

// reported are the settings whose changes a client is told, in the order in
// which PostgreSQL 15 announces them.
var reported = [...]string{
	"application_name", "client_encoding", "DateStyle", "default_transaction_read_only", "in_hot_standby",
	"integer_datetimes", "IntervalStyle", "is_superuser", "server_encoding", "server_version",
	"session_authorization", "standard_conforming_strings", "TimeZone",
}

var settingsByName = func() map[string]*setting {
	m := make(map[string]*setting, len(settingTable))
	for i := range settingTable {
		m[strings.ToLower(settingTable[i].name)] = &settingTable[i]
	}
	for alias, name := range map[string]string{"time zone": "timezone", "transaction isolation level": "transaction_isolation"} {
		m[alias] = m[name]
	}
	return m
}()

// parse checks text and gives it in canonical form. Errors call the setting as
// the client has called it, where PostgreSQL does.
func (d *setting) parse(name, text string) (value, error) {
	switch d.kind {
	case kindBool:
		on, ok := parseBool(text)
		if !ok {
			return value{}, sqlstate.New(sqlstate.InvalidParameterValue, "parameter %q requires a Boolean value", name)
		}
		if on {
			return value{text: "on", num: 1}, nil
		}
		return value{text: "off"}, nil
	case kindInt:
		return d.parseInt(name, text)
	case kindEnum:
		for _, v := range d.values {
			if strings.EqualFold(v, text) {
				return value{text: v}, nil
			}
		}
		return value{}, invalidSetting(name, text).WithHint("Available values: %s.", strings.Join(d.values, ", "))
	}
	if d.check != nil {
		return d.check(text)
	}
	return value{text: text}, nil
}

func invalidSetting(name, text string) *sqlstate.Error {
	return sqlstate.New(sqlstate.InvalidParameterValue, "invalid value for parameter \"%s\": \"%s\"", name, text)
}

// A unitFactor is a unit and what it is worth in the smallest one.
type unitFactor struct {
	name   string
	factor int64
}

// Largest first: SHOW takes the largest that divides the value (guc.c,
// convert_int_from_base_unit).
var unitFactors = map[settingUnit][]unitFactor{
	unitMillis: {{"d", 86400000}, {"h", 3600000}, {"min", 60000}, {"s", 1000}, {"ms", 1}},
	unitKB:     {{"TB", 1 << 30}, {"GB", 1 << 20}, {"MB", 1 << 10}, {"kB", 1}},
}

// parseInt reads a number with an optional unit, rounding a fraction to the
// smallest unit (guc.c, parse_int).
func (d *setting) parseInt(name, text string) (value, error) {
	s := strings.TrimSpace(text)
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.' || (s[end] == '-' || s[end] == '+') && end == 0) {
		end++
	}
	f, err := strconv.ParseFloat(s[:end], 64)
	if err != nil {
		return value{}, invalidSetting(name, text)
	}
	if unit := strings.TrimSpace(s[end:]); unit != "" {
		factors := unitFactors[d.unit]
		i := slices.IndexFunc(factors, func(u unitFactor) bool { return u.name == unit })
		if i < 0 {
			e := invalidSetting(name, text)
			switch d.unit {
			case unitMillis:
				e.Hint = `Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".`
				if unit == "us" {
					f /= 1000
					e = nil
				}
			case unitKB:
				e.Hint = `Valid units for this parameter are "B", "kB", "MB", "GB", and "TB".`
				if unit == "B" {
					f /= 1024
					e = nil
				}
			}
			if e != nil {
				return value{}, e
			}
		} else {
			f *= float64(factors[i].factor)
		}
	}
	if f < float64(d.min) || f > float64(d.max) {
		return value{}, sqlstate.New(sqlstate.InvalidParameterValue, "%s is outside the valid range for parameter %q (%s .. %s)",
			d.format(roundHalfEven(f)), name, strconv.FormatInt(d.min, 10), strconv.FormatInt(d.max, 10))
	}
	n := roundHalfEven(f)
	return value{text: d.show(n), num: n}, nil
}

// format is a number with the setting's smallest unit, as range errors show it.
func (d *setting) format(n int64) string {
	s := strconv.FormatInt(n, 10)
	switch d.unit {
	case unitMillis:
		return s + " ms"
	case unitKB:
		return s + " kB"
	}
	return s
}

// show is a number in the largest unit that loses nothing.
func (d *setting) show(n int64) string {
	if n > 0 {
		for _, u := range unitFactors[d.unit] {
			if n%u.factor == 0 {
				return strconv.FormatInt(n/u.factor, 10) + u.name
			}
		}
	}
	return strconv.FormatInt(n, 10)
}

func roundHalfEven(f float64) int64 {
	n := int64(f)
	switch r := f - float64(n); {
	case r > 0.5 || r == 0.5 && n%2 != 0:
		n++
	case r < -0.5 || r == -0.5 && n%2 != 0:
		n--
	}
	return n
}

// parseBool takes on, off, true, false, yes, no, their unique prefixes, 1 and 0
// (bool.c, parse_bool).
func parseBool(s string) (on, ok bool) {
	s = strings.ToLower(s)
	switch {
	case s == "":
		return false, false
	case s == "1" || s == "on" || strings.HasPrefix("true", s) || strings.HasPrefix("yes", s):
		return true, true
	case s == "0" || len(s) >= 2 && strings.HasPrefix("off", s) || strings.HasPrefix("false", s) || strings.HasPrefix("no", s):
		return false, true
	}
	return false, false
}

// checkEncoding takes the names of UTF8 in any spelling (encnames.c ignores
// case and punctuation), and SQL_ASCII, under which nothing is converted.
func checkEncoding(text string) (value, error) {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		}
	}
	switch b.String() {
	case "utf8", "unicode":
		return value{text: "UTF8"}, nil
	case "sqlascii":
		return value{text: "SQL_ASCII"}, nil
	}
	return value{}, invalidSetting("client_encoding", text).
		WithHint("The gateway speaks UTF8.")
}

// checkDateStyle takes ISO and the order of day and month for input. Other
// output styles are refused rather than ignored.
func checkDateStyle(text string) (value, error) {
	order := "MDY"
	for part := range strings.SplitSeq(text, ",") {
		switch strings.ToLower(strings.TrimSpace(part)) {
		case "iso", "default":
		case "mdy", "us", "noneuro", "noneuropean":
			order = "MDY"
		case "dmy", "euro", "european":
			order = "DMY"
		case "ymd":
			order = "YMD"
		case "sql", "postgres", "german":
			return value{}, invalidSetting("DateStyle", text).
				WithHint("The gateway writes dates in the ISO style.")
		default:
			return value{}, invalidSetting("DateStyle", text).
				WithDetail("Unrecognized key word: %q.", strings.TrimSpace(part))
		}
	}
	return value{text: "ISO, " + order}, nil
}

// checkTimeZone takes the name of a zone in any case or an offset in hours
// (variable.c, check_timezone).
func checkTimeZone(text string) (value, error) {
	zone, name, ok := findZone(text)
	if !ok {
		return value{}, invalidSetting("TimeZone", text).
			WithHint("Use the name of a zone of the IANA database, such as \"Europe/Berlin\".")
	}
	return value{text: name, zone: zone}, nil
}

// checkApplicationName replaces what is not printable ASCII and cuts to 63
// bytes (guc.c, check_application_name; an identifier's length).
func checkApplicationName(text string) (value, error) {
	b := []byte(text)
	for i, c := range b {
		if c < 32 || c > 126 {
			b[i] = '?'
		}
	}
	return value{text: string(b[:min(len(b), 63)])}, nil
}

// checkSearchPath takes a list of identifiers, each bare or in double quotes
// (varlena.c, SplitIdentifierString).
func checkSearchPath(text string) (value, error) {
	if _, ok := SplitIdentifiers(text); !ok {
		return value{}, invalidSetting("search_path", text).
			WithDetail("List syntax is invalid.")
	}
	return value{text: text}, nil
}

// SplitIdentifiers takes a list such as search_path's apart: names at commas,
// bare ones in lower case, quoted ones as they are. It is false for what is no
// such list (varlena.c, SplitIdentifierString).
func SplitIdentifiers(list string) (names []string, ok bool) {
	s := strings.TrimSpace(list)
	if s == "" {
		return nil, true
	}
	for {
		var name string
		if strings.HasPrefix(s, `"`) {
			var b strings.Builder
			i := 1
			for ; i < len(s); i++ {
				if s[i] == '"' {
					if i+1 == len(s) || s[i+1] != '"' {
						break
					}
					i++
				}
				b.WriteByte(s[i])
			}
			if i >= len(s) {
				return nil, false
			}
			name, s = b.String(), s[i+1:]
		} else {
			i := strings.IndexAny(s, ", \t\r\n")
			if i < 0 {
				i = len(s)
			}
			if i == 0 {
				return nil, false
			}
			name, s = strings.ToLower(s[:i]), s[i:]
		}
		names = append(names, name)
		s = strings.TrimSpace(s)
		if s == "" {
			return names, true
		}
		if s[0] != ',' {
			return nil, false
		}
		s = strings.TrimSpace(s[1:])
	}
}
