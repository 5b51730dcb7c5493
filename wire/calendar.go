package wire

import (
	"math"
	"strconv"

	"github.com/pggate/pggate/backend"
)

const (
	secondsPerDay = 86400
	microsPerSec  = 1_000_000
	microsPerDay  = secondsPerDay * microsPerSec

	// PostgreSQL counts from 2000-01-01 (timestamp.h, POSTGRES_EPOCH_JDATE).
	epochDays   = 10957
	epochMicros = epochDays * microsPerDay
)

// civil is the date of a day since 1970-01-01 in the proleptic Gregorian
// calendar; year 0 is 1 BC. The count starts at a March so that the leap day
// comes last.
func civil(days int64) (year int64, month, day int) {
	days += 719468 // from 0000-03-01
	era := days / 146097
	if days%146097 < 0 {
		era--
	}
	doe := days - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy-(153*mp+2)/5) + 1
	month = int(mp) + 3
	year = yoe + era*400
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

// daysOf is the inverse of civil.
func daysOf(year int64, month, day int) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := year / 400
	if year%400 < 0 {
		era--
	}
	yoe := year - era*400
	doy := int64((153*(month-3)+2)/5 + day - 1)
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}

// daysIn is the number of days of a month.
func daysIn(year int64, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// infinite gives the sign of an infinity of dates or timestamps, or 0. The
// engine's negative one is one above the smallest number.
func infinite[T int32 | int64](v, greatest T) int {
	switch {
	case v == greatest:
		return 1
	case v <= -greatest:
		return -1
	}
	return 0
}

func appendInfinity(dst []byte, sign int) []byte {
	if sign < 0 {
		return append(dst, "-infinity"...)
	}
	return append(dst, "infinity"...)
}

// appendYMD writes the date and reports whether it is before the common era;
// then " BC" follows at the very end (datetime.c, EncodeDateOnly).
func appendYMD(dst []byte, days int64) (out []byte, bc bool) {
	year, month, day := civil(days)
	if year <= 0 {
		bc = true
		year = 1 - year
	}
	if year < 1000 {
		dst = append(dst, '0')
		if year < 100 {
			dst = append(dst, '0')
		}
		if year < 10 {
			dst = append(dst, '0')
		}
	}
	dst = strconv.AppendInt(dst, year, 10)
	dst = append(dst, '-')
	dst = appendTwo(dst, month)
	dst = append(dst, '-')
	return appendTwo(dst, day), bc
}

func appendDate(dst []byte, days int64) []byte {
	if days >= math.MinInt32 && days <= math.MaxInt32 {
		if sign := infinite(int32(days), math.MaxInt32); sign != 0 {
			return appendInfinity(dst, sign)
		}
	}
	dst, bc := appendYMD(dst, days)
	if bc {
		dst = append(dst, " BC"...)
	}
	return dst
}

// appendClock writes a time of day given in microseconds, without zeros at the
// end of the fraction.
func appendClock(dst []byte, micros int64) []byte {
	seconds := int(micros / microsPerSec)
	dst = appendTwo(dst, seconds/3600)
	dst = append(dst, ':')
	dst = appendTwo(dst, seconds/60%60)
	dst = append(dst, ':')
	dst = appendTwo(dst, seconds%60)
	return appendFraction(dst, int(micros%microsPerSec))
}

func appendFraction(dst []byte, micros int) []byte {
	if micros == 0 {
		return dst
	}
	dst = append(dst, '.')
	for place := 100000; micros > 0; place /= 10 {
		dst = append(dst, byte('0'+micros/place))
		micros %= place
	}
	return dst
}

// splitDay parts microseconds since 1970 into days and microseconds of the day.
func splitDay(micros int64) (days, clock int64) {
	days = micros / microsPerDay
	clock = micros % microsPerDay
	if clock < 0 {
		clock += microsPerDay
		days--
	}
	return days, clock
}

func appendTimestamp(dst []byte, micros int64, separator byte) []byte {
	if sign := infinite(micros, math.MaxInt64); sign != 0 {
		return appendInfinity(dst, sign)
	}
	days, clock := splitDay(micros)
	dst, bc := appendYMD(dst, days)
	dst = append(dst, separator)
	dst = appendClock(dst, clock)
	if bc {
		dst = append(dst, " BC"...)
	}
	return dst
}

func appendTimestamptz(dst []byte, micros int64, separator byte, zone *zoneCache) []byte {
	if sign := infinite(micros, math.MaxInt64); sign != 0 {
		return appendInfinity(dst, sign)
	}
	days, clock := splitDay(micros)
	offset := zone.at(days*secondsPerDay + clock/microsPerSec)
	clock += offset * microsPerSec
	switch {
	case clock < 0:
		clock += microsPerDay
		days--
	case clock >= microsPerDay:
		clock -= microsPerDay
		days++
	}
	dst, bc := appendYMD(dst, days)
	dst = append(dst, separator)
	dst = appendClock(dst, clock)
	dst = appendOffset(dst, int(offset))
	if bc {
		dst = append(dst, " BC"...)
	}
	return dst
}

// appendOffset writes +hh, +hh:mm or +hh:mm:ss (datetime.c, EncodeTimezone).
func appendOffset(dst []byte, seconds int) []byte {
	sign := byte('+')
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	dst = append(dst, sign)
	dst = appendTwo(dst, seconds/3600)
	if seconds%3600 != 0 {
		dst = append(dst, ':')
		dst = appendTwo(dst, seconds/60%60)
		if seconds%60 != 0 {
			dst = append(dst, ':')
			dst = appendTwo(dst, seconds%60)
		}
	}
	return dst
}

// A time of day with a zone is one number: microseconds above 24 bits that hold
// maxOffset less the seconds east of Greenwich, as in the engine's vectors.
const maxOffset = 16*3600 - 1

func splitTimetz(v int64) (clock int64, offset int) {
	return v >> 24, maxOffset - int(v&0xffffff)
}

func joinTimetz(clock int64, offset int) int64 {
	return clock<<24 | int64(maxOffset-offset)
}

// intervalParts are the fields of an interval as PostgreSQL shows them; each
// carries its own sign (timestamp.c, interval2itm).
type intervalParts struct {
	year, month, day, hour, minute, second, micro int64
}

func partsOf(v backend.Interval) intervalParts {
	return intervalParts{
		year: int64(v.Months / 12), month: int64(v.Months % 12), day: int64(v.Days),
		hour:   v.Micros / (3600 * microsPerSec),
		minute: v.Micros / (60 * microsPerSec) % 60,
		second: v.Micros / microsPerSec % 60,
		micro:  v.Micros % microsPerSec,
	}
}

// appendInterval writes an interval in one of PostgreSQL's four styles
// (datetime.c, EncodeInterval).
func appendInterval(dst []byte, v backend.Interval, style string) []byte {
	p := partsOf(v)
	switch style {
	case "sql_standard":
		return p.appendStandard(dst)
	case "iso_8601":
		return p.appendISO(dst)
	case "postgres_verbose":
		return p.appendVerbose(dst)
	}
	return p.appendPostgres(dst)
}

func (p intervalParts) appendPostgres(dst []byte) []byte {
	start, before := len(dst), false
	add := func(v int64, unit string) {
		if v == 0 {
			return
		}
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		if before && v > 0 {
			dst = append(dst, '+')
		}
		dst = strconv.AppendInt(dst, v, 10)
		dst = append(dst, ' ')
		dst = append(dst, unit...)
		if v != 1 {
			dst = append(dst, 's')
		}
		before = v < 0
	}
	add(p.year, "year")
	add(p.month, "mon")
	add(p.day, "day")
	if len(dst) == start || p.hasTime() {
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		if p.negativeTime() {
			dst = append(dst, '-')
		} else if before {
			dst = append(dst, '+')
		}
		dst = p.appendClock(dst, true)
	}
	return dst
}

func (p intervalParts) hasTime() bool {
	return p.hour != 0 || p.minute != 0 || p.second != 0 || p.micro != 0
}

func (p intervalParts) negativeTime() bool {
	return p.hour < 0 || p.minute < 0 || p.second < 0 || p.micro < 0
}

// appendClock writes hours, minutes and seconds without their sign.
func (p intervalParts) appendClock(dst []byte, pad bool) []byte {
	if hour := abs(p.hour); pad {
		dst = appendTwo(dst, int(hour))
	} else {
		dst = strconv.AppendInt(dst, hour, 10)
	}
	dst = append(dst, ':')
	dst = appendTwo(dst, int(abs(p.minute)))
	dst = append(dst, ':')
	dst = appendTwo(dst, int(abs(p.second)))
	return appendFraction(dst, int(abs(p.micro)))
}

func (p intervalParts) appendISO(dst []byte) []byte {
	dst = append(dst, 'P')
	start := len(dst)
	add := func(v int64, unit byte) {
		if v != 0 {
			dst = strconv.AppendInt(dst, v, 10)
			dst = append(dst, unit)
		}
	}
	add(p.year, 'Y')
	add(p.month, 'M')
	add(p.day, 'D')
	if p.hasTime() {
		dst = append(dst, 'T')
		add(p.hour, 'H')
		add(p.minute, 'M')
		if p.second != 0 || p.micro != 0 {
			if p.second < 0 || p.micro < 0 {
				dst = append(dst, '-')
			}
			dst = strconv.AppendInt(dst, abs(p.second), 10)
			dst = appendFraction(dst, int(abs(p.micro)))
			dst = append(dst, 'S')
		}
	}
	if len(dst) == start {
		dst = append(dst, "T0S"...)
	}
	return dst
}

func (p intervalParts) appendStandard(dst []byte) []byte {
	negative := p.year < 0 || p.month < 0 || p.day < 0 || p.negativeTime()
	positive := p.year > 0 || p.month > 0 || p.day > 0 || p.hour > 0 || p.minute > 0 || p.second > 0 || p.micro > 0
	yearMonth, dayTime := p.year != 0 || p.month != 0, p.day != 0 || p.hasTime()
	switch {
	case !negative && !positive:
		return append(dst, '0')
	case negative && positive || yearMonth && dayTime:
		// Such an interval the standard does not have; every part gets a sign.
		dst = appendSign(dst, p.year < 0 || p.month < 0)
		dst = strconv.AppendInt(dst, abs(p.year), 10)
		dst = append(dst, '-')
		dst = strconv.AppendInt(dst, abs(p.month), 10)
		dst = append(dst, ' ')
		dst = appendSign(dst, p.day < 0)
		dst = strconv.AppendInt(dst, abs(p.day), 10)
		dst = append(dst, ' ')
		dst = appendSign(dst, p.negativeTime())
		return p.appendClock(dst, false)
	}
	if negative {
		dst = append(dst, '-')
	}
	if yearMonth {
		dst = strconv.AppendInt(dst, abs(p.year), 10)
		dst = append(dst, '-')
		return strconv.AppendInt(dst, abs(p.month), 10)
	}
	if p.day != 0 {
		dst = strconv.AppendInt(dst, abs(p.day), 10)
		dst = append(dst, ' ')
	}
	return p.appendClock(dst, false)
}

func appendSign(dst []byte, negative bool) []byte {
	if negative {
		return append(dst, '-')
	}
	return append(dst, '+')
}

func (p intervalParts) appendVerbose(dst []byte) []byte {
	dst = append(dst, '@')
	zero, before := true, false
	add := func(v int64, unit string) {
		if v == 0 {
			return
		}
		if zero {
			before = v < 0
			v = abs(v)
		} else if before {
			v = -v
		}
		zero = false
		dst = append(dst, ' ')
		dst = strconv.AppendInt(dst, v, 10)
		dst = append(dst, ' ')
		dst = append(dst, unit...)
		if v != 1 {
			dst = append(dst, 's')
		}
	}
	add(p.year, "year")
	add(p.month, "mon")
	add(p.day, "day")
	add(p.hour, "hour")
	add(p.minute, "min")
	if p.second != 0 || p.micro != 0 {
		dst = append(dst, ' ')
		if p.second < 0 || p.micro < 0 {
			if zero {
				before = true
			} else if !before {
				dst = append(dst, '-')
			}
		} else if before {
			dst = append(dst, '-')
		}
		dst = strconv.AppendInt(dst, abs(p.second), 10)
		dst = appendFraction(dst, int(abs(p.micro)))
		dst = append(dst, " sec"...)
		if abs(p.second) != 1 || p.micro != 0 {
			dst = append(dst, 's')
		}
		zero = false
	}
	if zero {
		dst = append(dst, " 0"...)
	}
	if before {
		dst = append(dst, " ago"...)
	}
	return dst
}

func abs(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}
